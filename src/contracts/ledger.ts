import type { Amount } from './amount.ts';
import type { ApprovalRule, Quorum } from './approval.ts';
import type { Content } from './content.ts';
import type { Decision } from './decision.ts';
import type { Effect } from './effect.ts';
import type { Failure } from './failure.ts';
import type { DecideApproval, ResolveOutcome } from './messages.ts';

/** The identity of one business action. Two calls with one key are the same action. */
export interface LedgerKey {
  readonly namespace: string;
  /** `task:ID`, `agent:NAME` or `global`. */
  readonly scope: string;
  /** Named by the tool's author (`refund:A-1042`), or `tool:digest:n` when the tool names none. */
  readonly intent: string;
}

/** What every record of the ledger carries. Times are epoch milliseconds. */
interface RecordOfKey {
  readonly key: LedgerKey;
  readonly task: string;
  /** Workflow id. */
  readonly run: string;
  /** The run's first execution id: the same after a reset or continue-as-new, another for a second run under one id. */
  readonly execution: string;
  readonly call: string;
  readonly tool: string;
  readonly generation: number;
  readonly at: number;
}

/** The statements a ledger can hold. All but `withdrawn` and `settled` speak of one claim, by its id. */
export type LedgerStatement =
  | {
      /** Written before anything leaves: from here on the effect may exist. */
      readonly is: 'claimed';
      readonly claim: string;
      readonly schedule: number;
      readonly holder: string;
      /** No request that could change something begins after this time. */
      readonly sendBy: number;
      /** The arguments of this generation: every attempt sends exactly these. */
      readonly input: Content;
      readonly digest: string;
      /** The tool's `landsWithin` when claimed: how long after sending the effect may still land. */
      readonly landsWithinMs: number;
      /** The tool's flags when claimed: they judge the claim, also after a deploy. */
      readonly effect: Effect;
      /** The tool's `keyValidFor` when claimed: how long the receiver is trusted to know the key. Absent: for ever. */
      readonly keyValidForMs?: number;
      /** Name of the secret the wire key was made with; absent: none. The first claim of a key names it for all. */
      readonly secret?: string;
      /** What the call is worth, by its tool's `amount`; null when that could not be told. */
      readonly amount?: Amount | null;
      /** The run counts only signed decisions: one without a signature settles nothing, whoever is asked to write it. */
      readonly signed?: true;
      /** The quorum that the run began with. */
      readonly quorum?: Quorum;
      /** Ids of the decisions and rules by which somebody had agreed to it. */
      readonly permits?: readonly string[];
    }
  /** This schedule of the call was given up before it claimed anything; a later claim of it is refused. */
  | { readonly is: 'withdrawn'; readonly schedule: number }
  /**
   * The claim ended and provably nothing happened; `proof` says how we know. `sent`: a request left and was refused, so the
   * attempt counts. `definite`: the same request would be refused again, so the next one is a new generation.
   */
  | {
      readonly is: 'not-executed';
      readonly claim: string;
      readonly proof: string;
      readonly sent: boolean;
      readonly definite: boolean;
    }
  | { readonly is: 'done'; readonly claim: string; readonly result: Content; readonly late: boolean }
  /** The tool itself said a definite no after acting on the request. */
  | { readonly is: 'failed'; readonly claim: string; readonly message: string }
  /** Sight of the claim was lost. The effect may exist, may still land, or may never come. */
  | { readonly is: 'unknown'; readonly claim: string; readonly failure: Failure }
  /** The claim is closed by a person's or a look-up's decision. */
  | { readonly is: 'settled'; readonly decision: Decision }
  /**
   * A person's word that settles nothing by itself: on an approval, or the first of two on an outcome. It counts for the
   * call of its record and for arguments of this digest only.
   */
  | { readonly is: 'decided'; readonly digest: string; readonly decision: DecideApproval | ResolveOutcome }
  /** A decision that was refused, and why. It uses up nothing. */
  | { readonly is: 'declined'; readonly why: string; readonly decision: DecideApproval | ResolveOutcome }
  /** A remembered approval. Under a key of its own, which no tool's intent can name. */
  | { readonly is: 'ruled'; readonly rule: ApprovalRule };

/** A record to be written. */
export type LedgerEntry = RecordOfKey & LedgerStatement;

/** A record as it stands: `counter` runs 1, 2, 3 … per task without a gap. */
export type LedgerRecord = LedgerEntry & { readonly counter: number };

/** What a decision over a key's records wants written, and what it answers. */
export interface LedgerDecision<Answer> {
  readonly append: readonly LedgerEntry[];
  readonly answer: Answer;
}

export interface LedgerQuery {
  readonly task?: string;
  readonly run?: string;
  readonly key?: LedgerKey;
  /** Only keys with a claim that no record ends or settles; all records of such a key. */
  readonly unsettled?: true;
  /** At most so many records, oldest first. Default 10,000. */
  readonly limit?: number;
}

/**
 * The append-only record of effects. Back ends decide nothing: they hold records and run a pure decision inside one
 * transaction. Called by activities (one or two times an attempt), by the client for the inbox and by the CLI.
 */
export interface Ledger {
  /** The ledger's own id, made once when its store is created. A run that meets another id sends nothing. */
  id(): Promise<string>;

  /**
   * Reads all records of a key, oldest first, and appends what `decide` asks for, in one transaction: no other writer of
   * the key comes in between. `decide` is pure and may be run again. Never blocks the event loop.
   * @throws LedgerUnavailable when the store cannot be read or written in time. Then nothing was appended; or, where a
   * commit's answer was lost and could not be asked for again, it may stand, and the message says so. Whoever repeats a
   * decision reads first, so nothing is decided twice, and a claim that stands unheard reads as unknown.
   */
  decide<Answer>(
    key: LedgerKey,
    decide: (records: readonly LedgerRecord[]) => LedgerDecision<Answer>,
  ): Promise<{ readonly answer: Answer; readonly written: readonly LedgerRecord[] }>;

  /** Records that match every given field, by time of writing. @throws LedgerUnavailable */
  read(query: LedgerQuery): Promise<readonly LedgerRecord[]>;

  /** The highest counter of a task; 0 when it has none. @throws LedgerUnavailable */
  counter(task: string): Promise<number>;

  close(): Promise<void>;
}

/** The ledger could not be reached or written in time. Whoever meets it has sent nothing and must send nothing. */
export class LedgerUnavailable extends Error {
  override readonly name = 'LedgerUnavailable';
}
