import type { Content } from './content.ts';
import type { LedgerView } from './agent-card.ts';
import type { Bill } from './bill.ts';
import type { Quorum } from './approval.ts';
import type { Decision } from './decision.ts';
import type { DecideApproval } from './messages.ts';
import type { Effect } from './effect.ts';
import type { Json } from './json.ts';
import type { LedgerEntry, LedgerKey } from './ledger.ts';
import type { ModelReply } from './model-reply.ts';
import type { RunnableCall } from './plan.ts';
import type { ApprovalQuestion, OutcomeQuestion, Question } from './question.ts';
import type { CallTally, RetryBudget } from './retry-budget.ts';
import type { RunResult } from './run-result.ts';

/** Who is asking: every activity gets it. `execution` is the run's first execution id. */
export interface RunIdentity {
  readonly run: string;
  readonly execution: string;
  readonly task: string;
  readonly agent: string;
}

/** The answer to one call of the previous turn, in call order. */
export interface CallAnswer {
  readonly toolCallId: string;
  readonly tool: string;
  readonly reply: ModelReply;
  /** With `ok`: the tool's result, joined to the reply as `data`. */
  readonly result?: Content;
}

export interface CardRequest extends RunIdentity {
  readonly limits?: { readonly deadlineMs?: number; readonly turns?: number };
}

export interface ModelRequest extends RunIdentity {
  readonly turn: number;
  readonly head: string | null;
  /** The task's input, in the first turn only: history would carry it again and again. */
  readonly input: Json;
  readonly answers: readonly CallAnswer[];
  readonly schedule: number;
  /** What the call has used in earlier schedules. */
  readonly tally: CallTally;
  /** What the run allows the call to use on repeating, all in all. */
  readonly budget: RetryBudget;
  readonly maxAttempts: number;
}

export interface ToolRequest extends RunIdentity {
  readonly turn: number;
  readonly plan: RunnableCall;
  readonly schedule: number;
  /** Calls of the turn: their results meet again in one payload. */
  readonly callsInTurn: number;
  /** The stricter of the card's and the plan's flags. */
  readonly effect: Effect;
  readonly maxAttempts: number;
  /** The run began where deciders were configured. */
  readonly signed: boolean;
  readonly quorum?: Quorum;
  readonly ledger: LedgerView;
  /** Epoch milliseconds after which no further attempt of this call begins. */
  readonly giveUpAt: number;
  /** What the call had used in earlier schedules. */
  readonly tally: CallTally;
  /** What the run allows this schedule to use on repeating. */
  readonly budget: RetryBudget;
}

export interface InquiryRequest extends RunIdentity {
  readonly key: LedgerKey;
  readonly call: string;
  readonly schedule: number;
  readonly tool: string;
  readonly effect: Effect;
  readonly ledger: LedgerView;
}

export interface NewsRequest extends RunIdentity {
  readonly key: LedgerKey;
  readonly ledger: LedgerView;
}

/** Asks a tool's own look-up about an open question. */
export interface ConfirmRequest extends RunIdentity {
  readonly question: OutcomeQuestion;
  readonly ledger: LedgerView;
}

/** Asks what people have said on a call that waits for them. */
export interface LeaveRequest extends RunIdentity {
  readonly question: ApprovalQuestion;
  readonly plan: RunnableCall;
  readonly ledger: LedgerView;
  readonly quorum?: Quorum;
}

/** A person's word on a call that waits for it. */
export interface ApprovalRequest extends LeaveRequest {
  readonly turn: number;
  readonly callsInTurn: number;
  readonly decision: DecideApproval;
  readonly signed: boolean;
}

/** Why people are told: it is asked, still open after a time, or for somebody else by now. */
export type AlertReason = 'asked' | 'reminder' | 'escalation';

export interface AlertRequest extends RunIdentity {
  readonly question: Question;
  readonly reason: AlertReason;
}

export interface SettleRequest extends RunIdentity {
  readonly question: OutcomeQuestion;
  readonly decision: Decision;
  /** The run began where deciders were configured: a worker without any must not let a decision pass. */
  readonly signed: boolean;
  readonly quorum?: Quorum;
  readonly ledger: LedgerView;
}

export interface AnswerRequest extends RunIdentity {
  readonly result: RunResult;
}

/** How an answer was kept. */
export interface KeptAnswer {
  /** What the run has cost by all that is on record, where that is as much as the run itself had heard of. */
  readonly bill?: Bill;
  /** Model calls of which a cost is missing that their provider can be asked for. */
  readonly missing: readonly string[];
}

export interface RecordRequest extends RunIdentity {
  readonly entry: LedgerEntry;
  readonly ledger: LedgerView;
}
