import { WorkflowExecutionAlreadyStartedError, WorkflowIdReusePolicy } from '@temporalio/common';
import { ParentClosePolicy, proxyActivities, sleep, startChild, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import type { Json } from '../contracts/json.ts';
import { WORKFLOW_TYPE } from '../contracts/messages.ts';
import type { RunInput, RunResult } from '../contracts/run.ts';
import { heldWaitMs } from '../policy/ledger-times.ts';
import { stableHash } from '../policy/stable-id.ts';
import type { agentRun } from './agent-run.ts';

export interface RunAgentRequest {
  readonly agent: string;
  /** What the agent is asked: a text, or JSON. */
  readonly input: Json;
  /**
   * The run's id. Default: made from the parent's id, the agent and the input, so that another input is another run, and the
   * same one again is the same run and gives its answer. A parent that wants one thing done twice names each run.
   */
  readonly runId?: string;
  /** What a person wants done, the scope of intents. Default: the parent's id, so that all its agents share one task. */
  readonly taskId?: string;
  readonly limits?: RunInput['limits'];
  /** Where the agent's worker polls. Default: the parent's own task queue. */
  readonly taskQueue?: string;
}

/**
 * Runs an agent as a child of your own workflow and waits for its answer, for days if need be. The child outlives its parent
 * (ABANDON), so an effect in doubt is never forgotten; a cancellation of the parent stops it. Questions are signalled to the
 * parent as `outcomeUnknown`. Call it in workflow code only.
 * @throws ChildWorkflowFailure when the run could not be carried out; an agent that failed returns `status: 'failed'`.
 */
export async function runAgent(request: RunAgentRequest): Promise<RunResult> {
  const { workflowId, taskQueue } = workflowInfo();
  const { agent, input, limits } = request;
  const taskId = request.taskId ?? workflowId;
  const runId = request.runId ?? `${workflowId}/${agent}-${stableHash(input)}`;
  const queue = request.taskQueue ?? taskQueue;
  try {
    const child = await startChild<typeof agentRun>(WORKFLOW_TYPE, {
      workflowId: runId,
      taskQueue: queue,
      workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE_FAILED_ONLY,
      parentClosePolicy: ParentClosePolicy.ABANDON,
      args: [{ agent, input, taskId, ...(limits && { limits }) }],
      staticSummary: agent,
    });
    return await child.result();
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    return joinRun(runId, queue);
  }
}

/** Somebody has started this run already: another branch, an earlier execution, the parent before it was reset. Its answer is ours. */
async function joinRun(run: string, taskQueue: string): Promise<RunResult> {
  const { readAnswer } = proxyActivities<Pick<Activities, 'readAnswer'>>({ taskQueue, startToCloseTimeout: '15s' });
  for (let waits = 0; ; waits++) {
    const answer = await readAnswer.executeWithOptions({ summary: `${run} · any answer?` }, [{ run }]);
    if (answer) return answer;
    await sleep(heldWaitMs(Math.min(6, waits)), { summary: `waiting for ${run}` });
  }
}
