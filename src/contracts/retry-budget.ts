/** What a run may still spend on repeating, by its calls of all kinds. */
export interface RetryBudget {
  /** Repeated attempts. May be a fraction: it fills up by tenths. */
  readonly retries: number;
  /** Time in repeated attempts and in our own waits before them; waits that a server asked for are not counted. Milliseconds. */
  readonly ms: number;
}

/** What one call has used, over all its schedules. Plain data: heartbeats and failures carry it from attempt to attempt. */
export interface CallTally {
  /** Attempts that sent something. */
  readonly sent: number;
  readonly used: RetryBudget;
  /** Time in attempts and waits, parking left out. Milliseconds. */
  readonly spentMs: number;
  /** The last attempt was parked: nothing was sent, or only a probe. */
  readonly parked: boolean;
}

export const FRESH_TALLY: CallTally = Object.freeze({
  sent: 0,
  used: Object.freeze({ retries: 0, ms: 0 }),
  spentMs: 0,
  parked: false,
});
