/** Sums over requests. Whole micro-dollars, so the parts are exactly the whole. */
export interface CostTotals {
  /** Measured and estimated. With `unknown` requests it is the least it can have been. */
  readonly micros: number;
  /** Of it, what is an estimate. */
  readonly estimatedMicros: number;
  readonly requests: number;
  /** Requests whose cost is an estimate, and those of which it is not known. */
  readonly estimated: number;
  readonly unknown: number;
  /** Tokens that were reported. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
}

/** `answer`: what the answer took. `spend`: everything, failed attempts and losing hedges included. */
export interface Spent {
  readonly answer: CostTotals;
  readonly spend: CostTotals;
}

/** What model calls have cost together: a run adds these up, and carries the sum. */
export interface Bill extends Spent {
  /** Requests whose tokens nobody reported. */
  readonly unmetered: number;
}

/** What one model call has cost so far, as its activity says. */
export interface CallBill extends Bill {
  /** The cost of a reply is missing, and its provider can be asked for it. */
  readonly isMissing: boolean;
}

/** Money of a run, in whole micro-dollars. */
export interface Money {
  /** Measured and estimated. Where `unknown` is not 0, the least it can have been. */
  readonly micros: number;
  /** Of it, what is an estimate. */
  readonly estimatedMicros: number;
  readonly requests: number;
  /** Requests whose cost is an estimate. */
  readonly estimated: number;
  /** Requests whose cost is not known, and calls of which the run has not heard yet what they cost. */
  readonly unknown: number;
}
