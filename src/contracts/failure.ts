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
 * - `held-back`: limits of our own did not let it go; nothing was sent.
 * - `cancelled`: the run asked for the call to end.
 */
export type FailureKind =
  | 'transient'
  | 'timed-out'
  | 'permanent'
  | 'unreadable'
  | 'thrown'
  | 'in-progress'
  | 'key-reused'
  | 'held-back'
  | 'cancelled';

/** Trouble that passes: the same request will probably work later. */
export type PassingReason =
  | 'bad-response'
  | 'conflict'
  | 'dns'
  | 'empty'
  | 'network'
  | 'not-executed'
  | 'overload'
  | 'server'
  | 'server-said-yes'
  | 'timeout'
  | 'tls-record'
  | 'truncated';

/** Refused because of speed, a quota's window or capacity. `quota-day`: the window is a day. */
export type LimitReason = 'capacity' | 'in-flight-budget' | 'quota-day' | 'ramp' | 'rate';

/** Trouble that waiting does not cure. */
export type LastingReason =
  | 'auth'
  | 'bad-request'
  | 'billing'
  | 'bug'
  | 'config'
  | 'content-filter'
  | 'context-length'
  | 'forbidden'
  | 'not-found'
  | 'refusal'
  | 'request-over-limit'
  | 'server-said-no'
  | 'state-lost'
  | 'tls-config'
  | 'too-large'
  | 'wrong-endpoint';

/** What the model got wrong: it may try again with other words. */
export type ModelReason = 'tool-call-cut' | 'tool-input' | 'tool-unknown';

/** Who ended it: the run, or a deadline of the run's. */
export type EndedReason = 'caller' | 'caller-deadline';

/** A finer word than the kind, stable enough to switch on. */
export type FailureReason = PassingReason | LimitReason | LastingReason | ModelReason | EndedReason;

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
  /** Where the wait was said: a header's name, or a word for a place in the body. With `waitMs` only. */
  readonly waitFrom?: string;
  readonly reason?: FailureReason;
}

/**
 * What a failed model call comes to. `rate-limited` is passing trouble too, with a wait that may be known; `model-error` is for
 * the model to put right.
 */
export type ModelFailureClass = 'transient' | 'rate-limited' | 'model-error' | 'permanent' | 'cancelled';

/** A failed attempt of a model call. */
export interface ModelFailure extends Failure {
  readonly class: ModelFailureClass;
  readonly reason: FailureReason;
  /** May the same request be sent again by whoever retries? */
  readonly retry: boolean;
  /** How many attempts in all make sense once one has failed like this, the first included. */
  readonly tries: number;
  /** Asked to wait longer than a worker should sleep (60 s), or for a day's quota. */
  readonly overCap: boolean;
  /** ISO time at which the provider says that the account works again: for people, not to wait for. */
  readonly resetsAt?: string;
  /** Watchers may have seen a piece of the reply, which the next attempt begins anew. */
  readonly resetStream: boolean;
  /** Does the attempt cost anything? */
  readonly billed: 'yes' | 'no' | 'unknown';
  /** Did the request reach the provider? */
  readonly sent: 'yes' | 'no' | 'maybe';
}
