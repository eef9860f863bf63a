import { WorkflowExecutionAlreadyStartedError, WorkflowIdReusePolicy } from '@temporalio/common';
import { ParentClosePolicy, sleep, startChild } from '@temporalio/workflow';
import type { CostLookUpRequest } from '../contracts/cost-look-up.ts';
import { waitBeforeLookUp } from '../policy/cost-look-up.ts';
import { activities } from './proxies.ts';

/**
 * Asks a provider afterwards what the replies to a model call cost, until all have been found or nobody asks any more. A workflow
 * of its own, because it outlives the run. What it finds are events of the run. Answers how many were not found.
 */
export async function costLookUp({ run, call, pace }: CostLookUpRequest): Promise<number> {
  for (let round = 1, missing = 0; ; round++) {
    const waitMs = waitBeforeLookUp(round, pace);
    if (waitMs === undefined) return missing;
    await sleep(waitMs, { summary: `${run} · ${call} · what did it cost?` });
    const isLast = waitBeforeLookUp(round + 1, pace) === undefined;
    ({ missing } = await activities.lookUpCosts.executeWithOptions(ROUND, [{ run, call, isLast }]));
    if (missing === 0) return 0;
  }
}

const ROUND = {
  startToCloseTimeout: '2m',
  // Without its stores a worker cannot even see what is missing.
  retry: { initialInterval: '1s', maximumInterval: '1m', backoffCoefficient: 2 },
} as const;

/**
 * Begins to look for the costs of a call's replies; for each call once. Resolves as soon as it has begun: it goes on after the
 * run has ended. Its id is `RUN/cost/CALL`.
 */
export async function beginCostLookUp(request: CostLookUpRequest): Promise<void> {
  try {
    await startChild(costLookUp, {
      workflowId: `${request.run}/cost/${request.call}`,
      // A run that was started again under its id has calls of the same names.
      workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
      parentClosePolicy: ParentClosePolicy.ABANDON,
      args: [request],
      staticSummary: 'costs that are missing',
    });
  } catch (error) {
    // It is under way: it asks for whatever is missing.
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}
