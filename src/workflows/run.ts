import { condition, workflowInfo } from '@temporalio/workflow';
import type { AgentCard } from '../contracts/agent-card.ts';
import type { Decision } from '../contracts/decision.ts';
import type { RunEvent } from '../contracts/events.ts';
import type { LedgerEntry } from '../contracts/ledger.ts';
import type { DecideApproval, ResolveOutcome } from '../contracts/messages.ts';
import type { RetryBudget } from '../contracts/retry-budget.ts';
import type { OutcomeQuestion, Question } from '../contracts/question.ts';
import type { AlertReason, RunIdentity } from '../contracts/requests.ts';
import type {
  CallView,
  CarriedState,
  RefusedDecision,
  RunBills,
  RunEnd,
  RunInput,
  RunStatus,
  SettledPending,
  Spend,
} from '../contracts/run.ts';
import { billsOfOlder, NO_BILLS, spentOf } from '../policy/run-bills.ts';
import { Call } from './call.ts';
import { sink } from './proxies.ts';

/** Everything a run knows, in one place, so that it can be carried into the next execution whole. */
export class Run {
  readonly identity: RunIdentity;
  readonly input: RunInput;
  startedAt: number;
  card: AgentCard | undefined;
  status: RunStatus = 'running';
  turn = 0;
  head: string | null = null;
  calls: Call[] = [];
  /** Open questions whose call was answered with `pending`. */
  pending: readonly OutcomeQuestion[] = [];
  /** How the pending questions ended that are settled: what `check_outcome` answers. */
  settled: readonly SettledPending[] = [];
  decisions: readonly Decision[] = [];
  /** Decisions on their way into the ledger, or kept until their question comes. */
  inbox: readonly ResolveOutcome[] = [];
  /** The same, on approvals. */
  approvals: readonly DecideApproval[] = [];
  /** What people have been told of questions that are open. */
  alerted: Readonly<Record<string, AlertReason>> = {};
  refused: readonly RefusedDecision[] = [];
  /** Questions that expired, and were asked again under another id. */
  expired: readonly string[] = [];
  unrecorded: readonly LedgerEntry[] = [];
  /** What is left for repeating; undefined: nothing has been used. */
  retryBudget: RetryBudget | undefined;
  /** The model call sleeps until its provider may be asked again. */
  waitsForProvider = false;
  /** What model calls have cost, as far as they have said. */
  bills: RunBills = NO_BILLS;
  views: readonly CallView[] = [];
  stop: 'safe' | 'now' | null = null;
  stopReason = '';
  // Not a Trigger: that one is rejected by the very cancellation it would report.
  readonly #stoppedNow: PromiseWithResolvers<void> = Promise.withResolvers();
  /** Questions the run ends with: the ledger keeps them open. */
  leftOpen: readonly OutcomeQuestion[] = [];
  abortedBy: Decision | null = null;
  end: RunEnd | null = null;
  waitedMs = 0;
  /** Since when the run only waits for people; null while anything else is under way. */
  #waitingSince: number | null = null;
  /** Activities under way: continue-as-new would lose their results. */
  inFlight = 0;
  /** What the search attributes say: only a change costs an event. */
  shownAs = '';
  shownMicros = 0;
  readonly news = new Set<string>();
  readonly #messageIds: string[] = [];

  constructor(input: RunInput) {
    const { workflowId, firstExecutionRunId, startTime } = workflowInfo();
    const { agent, taskId = workflowId } = input;
    this.input = input;
    this.identity = { run: workflowId, execution: firstExecutionRunId, task: taskId, agent };
    this.startedAt = input.carried?.startedAt ?? startTime.getTime();
    if (input.carried) this.#takeUp(input.carried);
    if (this.stop === 'now') this.#stoppedNow.resolve();
  }

  get questions(): readonly Question[] {
    const asking = this.calls.map(({ progress }) => (progress.is === 'asking' ? progress.question : undefined));
    return [...asking.filter((question) => question !== undefined), ...this.pending];
  }

  get spend(): Spend {
    return spentOf(this.bills).spend;
  }

  /** Changes what is known of an open question, wherever it is kept. */
  changeQuestion(id: string, change: <Q extends Question>(question: Q) => Q): void {
    const changed = <Q extends Question>(question: Q): Q => (question.id === id ? change(question) : question);
    this.pending = this.pending.map(changed);
    for (const call of this.calls) {
      const { progress } = call;
      if (progress.is === 'asking') call.progress = { ...progress, question: changed(progress.question) };
    }
  }

  noteExpired(question: string): void {
    this.expired = [...this.expired, question].slice(-MOST_SETTLED);
  }

  /** Keeps how a pending question ended. */
  keepSettled(settled: SettledPending): void {
    this.settled = [...this.settled.filter(({ question }) => question !== settled.question), settled].slice(
      -MOST_SETTLED,
    );
  }

  /** Resolves when somebody stops the run and will not wait. */
  get stoppedNow(): Promise<void> {
    return this.#stoppedNow.promise;
  }

  /** `now` is never weakened to `safe`. */
  requestStop(mode: 'safe' | 'now', reason: string): void {
    this.stop = this.stop === 'now' ? 'now' : mode;
    this.stopReason = reason;
    if (this.stop === 'now') this.#stoppedNow.resolve();
  }

  /** A message that came to nothing may come again under its id. */
  forget(id: string): void {
    const at = this.#messageIds.indexOf(id);
    if (at >= 0) this.#messageIds.splice(at, 1);
  }

  /** Every message counts once: the same id again changes nothing. */
  isNew(id: string): boolean {
    if (this.#messageIds.includes(id)) return false;
    this.#messageIds.push(id);
    if (this.#messageIds.length > 1_000) this.#messageIds.shift();
    return true;
  }

  refuse(id: string, question: string, why: string): void {
    this.tell({ type: 'decision-refused', at: Date.now(), decision: id, question, why });
    this.refused = [...this.refused.slice(-9), { id, question, why: why.slice(0, MOST_OF_REASON), at: Date.now() }];
  }

  /** A decision that was refused and comes again, put right, is not refused any more. */
  takeBackRefusal(id: string, question: string): void {
    this.refused = this.refused.filter((one) => one.id !== id || one.question !== question);
  }

  tell(event: RunEvent): void {
    sink.event(this.identity.run, event);
  }

  async during<T>(work: Promise<T>): Promise<T> {
    this.inFlight += 1;
    try {
      return await work;
    } finally {
      this.inFlight -= 1;
    }
  }

  /** True when the history should end here: what the server suggests, 2,000 events or 3 MB. */
  get isLong(): boolean {
    const { historyLength, historySize, continueAsNewSuggested } = workflowInfo();
    return continueAsNewSuggested || historyLength > 2_000 || historySize > 3_000_000;
  }

  /** Resolves when the run may be continued as new: its history is long and nothing is under way. */
  async untilLong(): Promise<void> {
    await condition(() => this.isLong && this.inFlight === 0);
  }

  /** Keeps account of the time in which nothing is under way but questions to people. */
  noteWaiting(): void {
    const open = this.calls.filter(({ progress }) => progress.is !== 'closed');
    const onlyAsks = open.length > 0 && open.every(({ progress }) => progress.is === 'asking');
    if (onlyAsks) this.#waitingSince ??= Date.now();
    else this.#countWaiting();
  }

  #countWaiting(): void {
    if (this.#waitingSince !== null) this.waitedMs += Date.now() - this.#waitingSince;
    this.#waitingSince = null;
  }

  carry(): CarriedState {
    if (!this.card) throw new Error('A run is continued only after it has its card.');
    this.#countWaiting();
    const { card, turn, head, pending, decisions, unrecorded, startedAt, spend, stop, inbox, refused } = this;
    const { stopReason, abortedBy, leftOpen, end, waitedMs, approvals, settled, alerted } = this;
    const loop = { card, turn, head, pending, decisions, unrecorded, startedAt, spend, stop, inbox, refused };
    const calls = this.calls.map((call) => call.state);
    const views = this.views.slice(-CARRIED_VIEWS);
    const asked = {
      approvals,
      settled,
      alerted,
      expired: this.expired,
      bills: this.bills,
      ...(this.retryBudget && { retryBudget: this.retryBudget }),
    };
    return {
      ...loop,
      ...asked,
      stopReason,
      abortedBy,
      leftOpen,
      end,
      waitedMs,
      calls,
      views,
      messageIds: this.#messageIds,
    };
  }

  #takeUp({ calls, messageIds, spend, bills, ...rest }: CarriedState): void {
    Object.assign(this, rest);
    this.bills = bills ?? billsOfOlder(spend, rest.turn);
    this.shownMicros = this.spend.cost?.micros ?? 0;
    this.calls = calls.map((call) => new Call(call));
    this.#messageIds.push(...messageIds);
  }
}

/** Characters of a refusal that the state shows. */
const MOST_OF_REASON = 6_000;

/** How many settled questions `check_outcome` can still answer. */
const MOST_SETTLED = 100;

/** What the state query shows after continue-as-new; the event store has all. */
const CARRIED_VIEWS = 30;
