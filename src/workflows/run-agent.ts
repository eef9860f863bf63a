import { ParentClosePolicy, startChild, workflowInfo } from '@temporalio/workflow';
import type { Json } from '../contracts/json.ts';
import { WORKFLOW_TYPE } from '../contracts/messages.ts';
import type { RunInput, RunResult } from '../contracts/run.ts';
import type { agentRun } from './agent-run.ts';

export interface RunAgentRequest {
  readonly agent: string;
  /** What the agent is asked: a text, or JSON. */
  readonly input: Json;
  /** The run's id. Default: the parent's id and the agent's name. A parent that runs one agent twice names each run. */
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
  const child = await startChild<typeof agentRun>(WORKFLOW_TYPE, {
    workflowId: request.runId ?? `${workflowId}/${agent}`,
    taskQueue: request.taskQueue ?? taskQueue,
    parentClosePolicy: ParentClosePolicy.ABANDON,
    args: [{ agent, input, taskId, ...(limits && { limits }) }],
    staticSummary: agent,
  });
  return child.result();
}
