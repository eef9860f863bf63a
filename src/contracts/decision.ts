import type { ResolveOutcome } from './messages.ts';

export type { OutcomeVerdict } from './messages.ts';

/** Who settled an unknown outcome. `ledger`: another run or an earlier record held the news. */
export type SettledBy = 'person' | 'late-outcome' | 'confirm' | 'ledger';

/** An answer to a question, as it is stored: who said what, why, and what they had been shown. */
export interface Decision extends ResolveOutcome {
  readonly settledBy: SettledBy;
}
