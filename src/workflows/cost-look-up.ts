import { WorkflowExecutionAlreadyStartedError, WorkflowIdReusePolicy } from '@temporalio/common';
import { getExternalWorkflowHandle, log, ParentClosePolicy, sleep, startChild } from '@temporalio/workflow';
import type { CallBill } from '../contracts/bill.ts';
import type { CostLookUpRequest } from '../contracts/cost-look-up.ts';
import { waitBeforeLookUp } from '../policy/cost-look-up.ts';
import { stableHash } from '../policy/stable-id.ts';
import { costFoundSignal } from './messages.ts';
import { activities } from './proxies.ts';

/**
 * Asks a provider afterwards what the replies to a model call cost, until all have been found or nobody asks any more. A workflow
 * of its own, because it outlives the run. What it finds are events of the run, and news for it while it goes on. Answers how many
 * were not found.
 */
export async function costLookUp(request: CostLookUpRequest): Promise<number> {
  const { run, execution, call, pace } = request;
  let known = '';
  for (let round = 1, missing = 0; ; round++) {
    const waitMs = waitBeforeLookUp(round, pace);
    if (waitMs === undefined) return missing;
    await sleep(waitMs, { summary: `${run} · ${call} · what did it cost?` });
    const isLast = waitBeforeLookUp(round + 1, pace) === undefined;
    const found = await activities.lookUpCosts.executeWithOptions(ROUND, [{ run, execution, call, isLast }]);
    ({ missing } = found);
    const news = JSON.stringify(found.bill ?? '');
    if (found.bill && news !== known) await tellRun(request, found.bill);
    known = news;
    if (missing === 0) return 0;
  }
}

const ROUND = {
  startToCloseTimeout: '2m',
  // Without its stores a worker cannot even see what is missing.
  retry: { initialInterval: '1s', maximumInterval: '1m', backoffCoefficient: 2 },
} as const;

/** Whichever execution of the run is current. One that has ended needs no news: its costs are read from its events. */
async function tellRun({ run, execution, call }: CostLookUpRequest, bill: CallBill): Promise<void> {
  try {
    await getExternalWorkflowHandle(run).signal(costFoundSignal, { execution, call, bill });
  } catch (error) {
    log.debug('The run does not hear what a call of it cost.', { run, call, error: String(error) });
  }
}

/** Where no worker knows this workflow, it would stay for ever. */
const ENDS_AFTER = '30d';

/**
 * A run that was started again under its id has calls of the same names; execution ids begin with the time, and end in chance. The
 * server refuses an id of over 1,000 bytes.
 */
const lookUpId = ({ run, execution, call }: CostLookUpRequest): string =>
  `${run.length > 300 ? stableHash(run) : run}/cost/${call}/${execution.slice(-8)}`;

/**
 * Begins to look for the costs of a call's replies; for each call once. Resolves as soon as it has begun: it goes on after the
 * run has ended. Its id is `RUN/cost/CALL/EXECUTION`, of the last one its end. Never rejects: a run does not fail for want of a figure.
 */
export async function beginCostLookUp(request: CostLookUpRequest): Promise<void> {
  const { run, call } = request;
  try {
    await startChild(costLookUp, {
      workflowId: lookUpId(request),
      workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
      workflowExecutionTimeout: ENDS_AFTER,
      parentClosePolicy: ParentClosePolicy.ABANDON,
      args: [request],
      staticSummary: 'costs that are missing',
    });
  } catch (error) {
    // It is under way: it asks for whatever is missing.
    if (error instanceof WorkflowExecutionAlreadyStartedError) return;
    log.warn('What a call cost is not looked up: it stays an estimate.', { run, call, error: String(error) });
  }
}
