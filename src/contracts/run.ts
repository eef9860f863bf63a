import type { AgentCard } from './agent-card.ts';
import type { Content } from './content.ts';
import type { CallBill, Bill, Money } from './bill.ts';
import type { Decision } from './decision.ts';
import type { Usage } from './events.ts';
import type { Json } from './json.ts';
import type { DecideApproval, ResolveOutcome } from './messages.ts';
import type { LedgerEntry } from './ledger.ts';
import type { ModelReply } from './model-reply.ts';
import type { PlannedCall } from './plan.ts';
import type { OutcomeQuestion, Question } from './question.ts';
import type { AlertReason } from './requests.ts';
import type { RetryBudget } from './retry-budget.ts';
import type { RunResult, Spend } from './run-result.ts';

export type { RunResult, Spend } from './run-result.ts';

export type RunStatus = 'running' | 'waiting' | 'answered' | 'completed' | 'partial' | 'stopped' | 'failed';

/** What a run can wait for, as the search attribute names it. */
export type WaitingFor = 'outcome' | 'approval' | 'provider' | 'timer';

/** How a run is started. */
export interface RunInput {
  readonly agent: string;
  readonly input: Json;
  /** Default: the workflow's id, so that each firing of a schedule is a task of its own. */
  readonly taskId?: string;
  readonly limits?: { readonly deadlineMs?: number; readonly turns?: number };
  /** Only from continue-as-new: where the run stood. */
  readonly carried?: CarriedState;
}

/** One call of the current turn as it stands. Plain data, so that continue-as-new can carry it. */
export interface CallState {
  readonly plan: PlannedCall;
  /** How often the call has been given to a worker; part of the activity's id. */
  readonly schedule: number;
  readonly progress: CallProgress;
  /** When no further attempt of it begins; null before its first schedule and after a person's order. */
  readonly giveUpAt: number | null;
}

export type CallProgress =
  | { readonly is: 'due' }
  | { readonly is: 'in-flight' }
  /** Sleeping before it is scheduled again. */
  | { readonly is: 'sleeping'; readonly until: number; readonly why: string }
  | { readonly is: 'asking'; readonly question: Question; readonly polls: number }
  | { readonly is: 'closed'; readonly reply: ModelReply; readonly result?: Content };

/** The whole state of a run's loop: what continue-as-new carries. */
export interface CarriedState {
  readonly card: AgentCard;
  readonly turn: number;
  /** Transcript head; null before the first model call. */
  readonly head: string | null;
  /** Empty between turns. */
  readonly calls: readonly CallState[];
  /** Questions whose call was answered with `pending`; the run does not close before they are settled. */
  readonly pending: readonly OutcomeQuestion[];
  readonly decisions: readonly Decision[];
  /** Ledger writes that have not held yet. */
  readonly unrecorded: readonly LedgerEntry[];
  readonly startedAt: number;
  readonly spend: Spend;
  /** The last 1,000: update ids do not survive continue-as-new. */
  readonly messageIds: readonly string[];
  readonly stop: 'safe' | 'now' | null;
  readonly stopReason: string;
  /** The decision that aborted the run. */
  readonly abortedBy: Decision | null;
  readonly leftOpen: readonly OutcomeQuestion[];
  /** How the run has ended, where it only waits for what is still open. */
  readonly end: RunEnd | null;
  /** Time in which the run only waited for people, in milliseconds: its deadline does not count it. */
  readonly waitedMs: number;
  readonly views: readonly CallView[];
  /** Decisions that wait for their question. */
  readonly inbox: readonly ResolveOutcome[];
  /** The same, on approvals. Absent in what an older version carried; so are the next two. */
  readonly approvals?: readonly DecideApproval[];
  /** How the questions ended whose call was answered with `pending`: what `check_outcome` answers. The last 100. */
  readonly settled?: readonly SettledPending[];
  /** Who has been told of which open question. */
  readonly alerted?: Readonly<Record<string, AlertReason>>;
  readonly expired?: readonly string[];
  /** What model calls have cost. */
  readonly bills?: RunBills;
  /** What is left for repeating. */
  readonly retryBudget?: RetryBudget;
  readonly refused: readonly RefusedDecision[];
}

/** What the model calls of a run have cost, as far as it has heard. */
export interface RunBills {
  /** Of calls whose bill is closed. */
  readonly settled: Bill;
  /** Of calls whose bill may still change, by call: under way, or a provider is asked for what is missing. */
  readonly open: Readonly<Record<string, CallBill>>;
  /** Calls that ended without a word of what they cost. */
  readonly untold: number;
}

/** How a question ended whose call had been answered with `pending`. */
export interface SettledPending {
  readonly question: string;
  readonly reply: ModelReply;
  readonly result?: Content;
}

/** How a run ends, before what is still open has been settled. */
export interface RunEnd {
  readonly status: RunResult['status'];
  readonly text: string;
}

/** One call as people see it. */
export interface CallView {
  readonly call: string;
  readonly turn: number;
  readonly kind: 'model' | 'tool';
  readonly name: string;
  readonly intent?: string;
  /** `running`, `in-flight`, `sleeping`, `outcome unknown`, or how it ended: `ok`, `failed`, `unavailable` … */
  readonly state: string;
  /** What a sleeping call waits for. */
  readonly why?: string;
  readonly startedAt: number;
  readonly endedAt?: number;
  readonly usage?: Usage;
  readonly question?: string;
}

/** What the `state` query answers. */
export interface RunView {
  readonly run: string;
  readonly agent: string;
  readonly version: string;
  readonly model: string;
  readonly taskId: string;
  readonly status: RunStatus;
  readonly turn: number;
  readonly startedAt: number;
  readonly waitingFor: readonly WaitingFor[];
  readonly questions: readonly Question[];
  readonly refused: readonly RefusedDecision[];
  /** Questions that decisions are kept for, although the run has not asked them: perhaps a mistyped id. */
  readonly awaited: readonly string[];
  /** Ids of decisions that were taken in and not judged yet. */
  readonly underWay?: readonly string[];
  readonly calls: readonly CallView[];
  readonly spend: Spend;
  /** As in `RunResult`. */
  readonly answerCost?: Money;
  readonly answer?: string;
}

/** A decision that did not take its place, and why: signals always "succeed", so the details show it. */
export interface RefusedDecision {
  readonly id: string;
  readonly question: string;
  readonly why: string;
  readonly at: number;
}
