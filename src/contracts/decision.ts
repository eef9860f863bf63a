import type { Json } from './json.ts';

export type OutcomeVerdict = 'happened' | 'did-not-happen' | 'reversed' | 'abort';

/** Who settled an unknown outcome. `ledger`: another run or an earlier record held the news. */
export type SettledBy = 'person' | 'late-outcome' | 'confirm' | 'ledger';

/** An answer to a question, as it is stored: who said what, why, and what they had been shown. */
export interface Decision {
  /** Chosen by the sender; the same id again is the same decision. */
  readonly id: string;
  readonly question: string;
  readonly verdict: OutcomeVerdict;
  /** With `happened`: what the tool would have returned, or null when there is nothing to give. */
  readonly result?: Json;
  /** With `did-not-happen`: what follows. Default `tell-model`. */
  readonly then?: 'retry' | 'tell-model';
  /** Settle before the horizon although the effect may still land. Recorded. */
  readonly override?: boolean;
  readonly by: string;
  readonly reason: string;
  readonly evidence?: string;
  /** Digest of what was shown; when given it must match the question. */
  readonly digest?: string;
  readonly settledBy: SettledBy;
}
