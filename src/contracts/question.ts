import type { Amount } from './amount.ts';
import type { Content } from './content.ts';
import type { Failure } from './failure.ts';
import type { LedgerKey } from './ledger.ts';

/** What every question tells whoever is to answer it. */
interface AboutCall {
  /** Short and stable: made from what is asked about, so a reset asks the same question under the same id. */
  readonly id: string;
  readonly run: string;
  readonly call: string;
  readonly tool: string;
  readonly key: LedgerKey;
  readonly input: Content;
  /** First 16 hex digits of the arguments' digest: what was shown. A decision may name it, and is then bound to it. */
  readonly digest: string;
  /** Workflow time, epoch milliseconds, at which it was asked. */
  readonly since: number;
  /** What is known, one fact a line. */
  readonly known: readonly string[];
  /** What the tool's author says the call is worth; null when that could not be told. Absent: the tool names none. */
  readonly amount?: Amount | null;
  /** How many different people must agree; absent: one. */
  readonly need?: number;
  /** Who has agreed so far, where more than one must. */
  readonly have?: readonly string[];
}

/** Did it happen? Sight of a call was lost that may have acted. About one generation of one action. */
export interface OutcomeQuestion extends AboutCall {
  readonly kind: 'outcome';
  /** When the request was sent at the earliest, as the ledger has it. */
  readonly sentAt?: number;
  /** Before this time "did not happen" proves nothing: the effect may still land. */
  readonly horizon: number;
  /** The claim that is asked about. Absent in questions of older versions. */
  readonly claim?: string;
  readonly failure?: Failure;
}

/** May it be done? Nothing has been sent. About one call with exactly these arguments. */
export interface ApprovalQuestion extends AboutCall {
  readonly kind: 'approval';
  /** Why somebody must agree, one reason a line. */
  readonly because: readonly string[];
  /** Unanswered until then, it expires, and is asked again under a new id. Epoch milliseconds. */
  readonly expiresAt: number;
  /** How often it has expired. */
  readonly round: number;
  /** Of the action that is asked about: each is agreed to anew. */
  readonly generation: number;
}

/** Something only news or a person can answer. */
export type Question = OutcomeQuestion | ApprovalQuestion;
