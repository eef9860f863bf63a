import type { CallBill } from './bill.ts';
import type { Content } from './content.ts';
import type { Failure } from './failure.ts';
import type { LedgerEntry } from './ledger.ts';
import type { ModelReply } from './model-reply.ts';
import type { PlannedCall } from './plan.ts';
import type { CallTally } from './retry-budget.ts';

/**
 * How one schedule of a tool call ended, as its own activity tells it.
 *
 * - `done`, `told`: the call is over; `told` carries an answer that is not a result (refused, failed, unavailable).
 * - `unknown`: it may have acted; a question follows.
 * - `again`: nothing is known to have happened and the call may be scheduled anew after a wait.
 * - `wait`: the key is held, by an earlier attempt of this call or by another call; ask again later.
 * - `ask`: somebody must agree first; nothing was sent.
 * - `edited`: somebody agreed to other arguments, which make another call; nothing was sent.
 * - `withdrawn`: this schedule had been given up before it could claim; nothing was sent.
 * - `foreign-ledger`: the worker's ledger is not the run's; nothing was sent.
 */
export type CallVerdict =
  | { readonly is: 'done'; readonly result: Content; readonly note?: string }
  | { readonly is: 'told'; readonly reply: ModelReply }
  | ({ readonly is: 'unknown'; readonly failure: Failure } & Doubt)
  | {
      readonly is: 'again';
      readonly waitMs: number;
      readonly why: string;
      /** It was only to wait its turn: none of the call's time is used up. */
      readonly unbegun?: true;
    }
  | { readonly is: 'wait'; readonly why: string }
  | ({ readonly is: 'ask' } & AskedLeave)
  | { readonly is: 'edited'; readonly plan: PlannedCall }
  | { readonly is: 'withdrawn' }
  | { readonly is: 'foreign-ledger'; readonly message: string };

/**
 * How one schedule of a model call ended without a reply.
 *
 * - `parked`: the provider is given a pause; nothing was sent, or only a probe. It costs no attempt.
 * - `asked-to-wait`: the provider named a time that is too long to be slept in a worker.
 * - `failed`: no further attempt will be made.
 */
export type ModelEnd =
  | { readonly is: 'parked'; readonly waitMs: number; readonly why: string }
  | { readonly is: 'asked-to-wait'; readonly waitMs: number; readonly why: string }
  | { readonly is: 'failed'; readonly why: string };

/** The claim that may have acted: its generation, and between when it may have sent. Times in epoch milliseconds. */
export interface Doubt {
  readonly claim?: string;
  /** As claimed: how long after sending the effect may still land. */
  readonly landsWithinMs?: number;
  readonly generation: number;
  readonly sentAt: number;
  readonly sendBy: number;
}

/** What somebody must agree to, and on which terms. */
export interface AskedLeave {
  readonly because: readonly string[];
  readonly need: number;
  /** Who has agreed so far. */
  readonly have: readonly string[];
  /** How long the question stands before it is asked again, in milliseconds. */
  readonly expiresMs: number;
  /** Of the action: what is agreed to is used up with it. */
  readonly generation: number;
}

/** The open attempt as a heartbeat carries it, so that the next attempt or the workflow can say how the last one ended. */
export interface OpenAttempt {
  readonly attempt: number;
  readonly startedAt: number;
  readonly timeoutMs: number;
  readonly name: string;
  readonly progress?: string;
}

/**
 * The one shape a tool or model activity speaks in: as result, in failure details, in heartbeats. A verdict that does not
 * come in it is not believed: the ledger is asked instead.
 */
export interface Envelope {
  readonly hf: 1;
  readonly call: string;
  readonly schedule: number;
  /** Attempts closed so far, by this schedule of the call. */
  readonly closed: number;
  readonly open: OpenAttempt | null;
  readonly tally?: CallTally;
  readonly verdict?: CallVerdict;
  /** How a schedule of a model call ended. */
  readonly end?: ModelEnd;
  /** What a model call has cost so far. */
  readonly bill?: CallBill;
  /** Counter of the ledger record behind the verdict; absent only where nothing was ever claimed. */
  readonly record?: number;
  /** The verdict is true but its record could not be written in time: the workflow repeats the write. */
  readonly pending?: LedgerEntry;
}
