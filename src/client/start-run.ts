import {
  WorkflowExecutionAlreadyStartedError,
  WorkflowIdConflictPolicy,
  WorkflowIdReusePolicy,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { defineSearchAttributeKey, type SearchAttributePair } from '@temporalio/common';
import type { Duration } from '../contracts/duration.ts';
import type { Json } from '../contracts/json.ts';
import { WORKFLOW_TYPE } from '../contracts/messages.ts';
import type { RunInput, RunResult } from '../contracts/run.ts';
import { durationMs } from '../policy/duration-ms.ts';
import { findSearchAttributes } from '../temporal/search-attributes.ts';
import type { agentRun } from '../workflows/index.ts';
import type { ClientParts } from './client-parts.ts';
import { keptResult } from './kept-result.ts';

export interface StartRequest {
  readonly agent: string;
  /** What the agent is asked: a text, or JSON. */
  readonly input: Json;
  /** The run's id, which is the workflow's. A run that is running under it is joined, not started again. Default: made up. */
  readonly runId?: string;
  /** What a person wants done, over all its runs. Default: the run's id. */
  readonly taskId?: string;
  readonly limits?: { readonly deadline?: Duration; readonly turns?: number };
}

const ID = /^[\w.:@+/-]{1,200}$/;

/**
 * Starts a run. One that is running under its id is joined; one that has its answer keeps it, also when the server has
 * forgotten it, and nothing is started; one that ended without an answer is started anew. Returns the run's id.
 */
export async function startRun(parts: ClientParts, request: StartRequest): Promise<string> {
  const runId = request.runId ?? `${request.agent}-${crypto.randomUUID().slice(0, 8)}`;
  const taskId = request.taskId ?? runId;
  checkId('run', runId);
  checkId('task', taskId);
  const input: RunInput = { agent: request.agent, input: request.input, taskId, ...limitsOf(request) };
  const begin = (reuse: WorkflowIdReusePolicy) => startWorkflow(parts, runId, input, taskId, reuse);
  if (isAnswer(await keptResult(parts, runId)) && !(await isKnown(parts, runId))) return runId;
  try {
    // Temporal itself refuses a second run of an id that has completed: whoever asks at the same moment gets the same one.
    await begin(WorkflowIdReusePolicy.ALLOW_DUPLICATE_FAILED_ONLY);
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    const closed = await closedResult(parts, runId);
    // Stopped and failed runs complete too, as workflows: they ended without an answer, and may be started again.
    if (closed !== 'running' && !isAnswer(closed)) await begin(WorkflowIdReusePolicy.ALLOW_DUPLICATE);
  }
  return runId;
}

async function startWorkflow(
  parts: ClientParts,
  workflowId: string,
  input: RunInput,
  taskId: string,
  workflowIdReusePolicy: WorkflowIdReusePolicy,
): Promise<void> {
  await parts.client.workflow.start<typeof agentRun>(WORKFLOW_TYPE, {
    taskQueue: parts.taskQueue,
    workflowId,
    workflowIdReusePolicy,
    workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
    args: [input],
    staticSummary: `${input.agent} · ${summaryOf(input.input)}`,
    typedSearchAttributes: await searchAttributesOf(parts, input.agent, taskId),
  });
}

const isAnswer = (result: RunResult | undefined): boolean =>
  result?.status === 'completed' || result?.status === 'partial';

/** Past its retention the server has forgotten a run; then our own store's word counts. */
async function isKnown({ client }: ClientParts, runId: string): Promise<boolean> {
  try {
    await client.workflow.getHandle(runId).describe();
    return true;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}

/** What the server knows: the result of a run that closed with one. `running` too for a reset run with an old answer. */
async function closedResult({ client }: ClientParts, runId: string): Promise<RunResult | 'running' | undefined> {
  const handle = client.workflow.getHandle<typeof agentRun>(runId);
  try {
    const { closeTime, status } = await handle.describe();
    if (closeTime === undefined) return 'running';
    return status.name === 'COMPLETED' ? await handle.result() : undefined;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}

function checkId(what: 'run' | 'task', id: string): void {
  if (ID.test(id)) return;
  throw new Error(
    `The ${what} id ${JSON.stringify(id)} cannot be used. Write 1 to 200 letters, digits or any of _ . : @ + / -, e.g. "refund-A-1042".`,
  );
}

function limitsOf({ limits }: StartRequest): Pick<RunInput, 'limits'> {
  if (!limits) return {};
  const { deadline, turns } = limits;
  if (turns !== undefined && !(Number.isInteger(turns) && turns >= 1)) {
    throw new Error(`limits.turns is ${turns}. Write a whole number from 1.`);
  }
  const deadlineMs = deadline === undefined ? undefined : durationMs(deadline, 'limits.deadline');
  return { limits: { ...(deadlineMs !== undefined && { deadlineMs }), ...(turns !== undefined && { turns }) } };
}

/** Metadata a person reads in lists: short, one line. */
function summaryOf(input: Json): string {
  const text = (typeof input === 'string' ? input : JSON.stringify(input)).replace(/\s+/g, ' ');
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}

/** Only those the namespace has: a missing one would refuse the start. */
async function searchAttributesOf(parts: ClientParts, agent: string, taskId: string): Promise<SearchAttributePair[]> {
  const states = await findSearchAttributes(parts.connection, parts.namespace);
  const values = { HoldfastAgent: agent, HoldfastTaskId: taskId, HoldfastStatus: 'running' } as const;
  return (Object.keys(values) as (keyof typeof values)[])
    .filter((name) => states[name].is === 'present')
    .map((name) => ({ key: defineSearchAttributeKey(name, 'KEYWORD'), value: values[name] }));
}
