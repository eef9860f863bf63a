/** Could the failed attempt already have happened? `refused`: the peer itself said that it did not act. */
export type Delivery = 'not-sent' | 'refused' | 'maybe-sent';

/**
 * Can trying again help, and what kind of trouble is it?
 *
 * - `transient`: unavailable, overloaded, rate limited: the same request may succeed later.
 * - `timed-out`: our own deadline of one attempt fired; the message says which deadline.
 * - `permanent`: the same request will be refused again.
 * - `unreadable`: a 2xx answer came and cannot be read; the effect has most likely happened.
 * - `thrown`: an error nobody has named came out of the tool's body: a bug until shown otherwise.
 * - `in-progress`: 409 with our key: the first request with this key is still running.
 * - `key-reused`: 422 with our key: the receiver holds this key with other data.
 * - `cancelled`: the run asked for the call to end.
 */
export type FailureKind =
  'transient' | 'timed-out' | 'permanent' | 'unreadable' | 'thrown' | 'in-progress' | 'key-reused' | 'cancelled';

/** One failed attempt, as data: it crosses the wall between activity and workflow and is kept in the ledger. */
export interface Failure {
  readonly kind: FailureKind;
  readonly delivery: Delivery;
  /** For people and for the model: one sentence, no stack, no secret. */
  readonly message: string;
  /** HTTP status of the answer that decided, when there was one. */
  readonly status?: number;
  /** How long the peer asked us to wait, in milliseconds; absent when it did not say, or said something unreadable. */
  readonly waitMs?: number;
}
