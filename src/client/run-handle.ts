import { WorkflowFailedError, WorkflowNotFoundError, type WorkflowHandle } from '@temporalio/client';
import type { StoredEvent } from '../contracts/events.ts';
import type { DecideApproval, ResolveOutcome, Stop } from '../contracts/messages.ts';
import type { RunResult, RunView } from '../contracts/run.ts';
import type { agentRun } from '../workflows/index.ts';
import type { ClientParts } from './client-parts.ts';
import { decideApproval, leaveWithServer } from './decide-approval.ts';
import { keptResult } from './kept-result.ts';
import { readState } from './read-state.ts';
import { bindDecision } from './sign.ts';
import { settle, type SettleResult } from './settle.ts';
import { readQuestions } from './inbox.ts';
import { describeRun, type RunRow } from './list-runs.ts';
import { readEvents } from './read-events.ts';
import { stopRun } from './stop-run.ts';
import type { LookAtRun } from './find-start.ts';
import { watchRun, type WatchOptions } from './watch-run.ts';

/** How a decision is sent. `id` is made up when absent. `signWith`: the secret key of whoever decides, where deciders are configured. */
interface Sending {
  readonly id?: string;
  readonly signWith?: string;
}

/** A decision as a caller gives it. */
export type DecisionInput = Omit<ResolveOutcome, 'id' | 'signature'> & Sending;
export type ApprovalInput = Omit<DecideApproval, 'id' | 'signature'> & Sending;

/** One run, running or closed. */
export interface RunHandle {
  readonly id: string;
  /** Waits for the end, for days if need be. A run that answered with something still open is not over. @throws when it failed as a workflow. */
  result(): Promise<RunResult>;
  /** As the run sees itself. Undefined when no worker answers for it. */
  state(): Promise<RunView | undefined>;
  /** As the server lists it, without asking a worker. Undefined when there is no such run. */
  describe(): Promise<RunRow | undefined>;
  /** What has happened so far in the last run under this id. `pieces`: how its replies came, too. */
  events(options?: { readonly pieces?: boolean }): Promise<readonly StoredEvent[]>;
  /**
   * Events as they come, pieces of replies included, until the run ends or `signal` fires. Any number may watch, each at its own pace;
   * whoever begins again after the last offset seen misses nothing and sees nothing twice.
   */
  watch(options?: WatchOptions): AsyncGenerator<StoredEvent>;
  /** Settles an unknown outcome. Never throws for a decision that does not fit: `refused` says what stands. */
  resolveOutcome(decision: DecisionInput): Promise<SettleResult>;
  /** Says whether a call may be made. Never throws for a word that does not fit: `refused` says what stands. */
  decideApproval(decision: ApprovalInput): Promise<SettleResult>;
  /** Returns what the run answers. Without a worker the wish is kept until one is back. @throws when the run has ended. */
  stop(mode?: Stop['mode'], reason?: string): Promise<string>;
}

export function openRun(parts: ClientParts, id: string): RunHandle {
  const handle: WorkflowHandle<typeof agentRun> = parts.client.workflow.getHandle(id);
  const look: LookAtRun = async () => {
    try {
      const { closeTime, startTime } = await handle.describe();
      return { isOver: closeTime !== undefined, startedAt: startTime.getTime() };
    } catch (error) {
      // A server that is away for a moment ends no watch: the run is there when it is back.
      if (error instanceof WorkflowNotFoundError) throw error;
      return undefined;
    }
  };
  return {
    id,
    result: () => resultOf(parts, handle),
    state: () => readState(parts, id),
    describe: () => describeRun(parts.client, id),
    events: (options) => readEvents(parts, id, options),
    watch: (options = {}) => watchRun(parts, id, options, look),
    resolveOutcome: (decision) => resolve(parts, id, decision),
    decideApproval: (decision) => approve(parts, id, decision),
    stop: (mode = 'safe', reason) => stopRun(parts, id, { id: crypto.randomUUID(), mode, ...(reason && { reason }) }),
  };
}

async function resultOf(parts: ClientParts, handle: WorkflowHandle<typeof agentRun>): Promise<RunResult> {
  try {
    return await handle.result();
  } catch (error) {
    // Past the server's retention the answer is still ours.
    const kept = error instanceof WorkflowNotFoundError ? await keptResult(parts, handle.workflowId) : undefined;
    if (kept) return kept;
    if (!(error instanceof WorkflowFailedError)) throw error;
    throw new Error(`Run ${handle.workflowId} ended without an answer: ${lastCause(error)}`, { cause: error });
  }
}

async function resolve(parts: ClientParts, run: string, decision: DecisionInput): Promise<SettleResult> {
  const { signWith, id = crypto.randomUUID(), ...said } = decision;
  const items = (await readQuestions(parts, run)).filter(({ question }) => question.run === run);
  const item = items.find(({ question }) => question.id === said.question);
  if (!item) {
    const open = items.map(({ question }) => question.id);
    return refuseUnasked(run, said.question, open);
  }
  const { namespace } = parts;
  return settle(parts, item, await bindDecision({ ...said, id }, item.question, { namespace, signWith }));
}

async function approve(parts: ClientParts, run: string, decision: ApprovalInput): Promise<SettleResult> {
  const { signWith, id = crypto.randomUUID(), ...said } = decision;
  const view = await readState(parts, run);
  if (!view) return leaveApproval(parts, run, { ...said, id }, signWith);
  const question = view.questions.find((open) => open.id === said.question);
  if (!question) {
    const open = view.questions.map((one) => one.id);
    return refuseUnasked(run, said.question, open);
  }
  const { namespace } = parts;
  return decideApproval(parts, run, await bindDecision({ ...said, id }, question, { namespace, signWith }));
}

/** Nobody says now what is asked: the word is left with the server, and held against its question when a worker is back. */
async function leaveApproval(
  parts: ClientParts,
  run: string,
  message: DecideApproval,
  signWith: string | undefined,
): Promise<SettleResult> {
  const row = await describeRun(parts.client, run);
  if (!row || row.closedAt !== undefined) return refuseUnasked(run, message.question, []);
  const { digest } = message;
  if (signWith !== undefined && digest === undefined) {
    const why = `No worker answers for run ${run} now, so nobody can say what you would sign. Start one, or name the digest.`;
    return { is: 'refused', why };
  }
  const about = { run, kind: 'approval', digest: digest ?? '' } as const;
  return leaveWithServer(parts, run, await bindDecision(message, about, { namespace: parts.namespace, signWith }));
}

function refuseUnasked(run: string, question: string, open: readonly string[]): SettleResult {
  const why = `Run ${run} has no open question "${question}". Open: ${open.join(', ') || 'none'}.`;
  return { is: 'refused', why };
}

/** Temporal wraps what went wrong in what was going on; people want the former. */
function lastCause(error: Error): string {
  return error.cause instanceof Error ? lastCause(error.cause) : error.message;
}
