/** Whose limits: `model:ACCOUNT` or `tool:NAME`. */
export type LimitKey = string;

export const accountKey = (account: string): LimitKey => `model:${account}`;
export const toolKey = (tool: string): LimitKey => `tool:${tool}`;

/**
 * Why an attempt is made, which decides who must allow it.
 *
 * - `first`: the first attempt of a call. The breaker decides.
 * - `retry`: a repetition. The breaker and the retry throttle decide.
 * - `hedge`: a second request beside a running one. As a retry, and never as a probe.
 * - `after-park`: a call that was parked. The breaker alone decides, so that an outage never ends in a livelock, and lets
 *   no more of them in at a time than have succeeded since it closed, plus one.
 */
export type AttemptReason = 'first' | 'retry' | 'hedge' | 'after-park';

export interface AdmitRequest {
  readonly reason: AttemptReason;
  /** How long this attempt may take, in milliseconds. One that never reports stands in nobody's way for longer. */
  readonly timeoutMs: number;
}

/** Handed out on admission and given back with each report. Data, so that it can cross a wire. */
export interface Ticket {
  readonly id: number;
  /** Counts the openings of the circuit: what was admitted before one says nothing about what came after it. */
  readonly epoch: number;
  readonly role: 'ordinary' | 'after-park' | 'probe';
}

/**
 * Why an attempt may not be made now.
 *
 * - `open`: the circuit is open and no probe may go yet.
 * - `probing`: a probe is under way.
 * - `ramp`: the circuit has just closed, and enough parked calls are on their way for now.
 * - `throttled`: most attempts fail, so nothing is repeated.
 */
export type RefusalReason = 'open' | 'probing' | 'ramp' | 'throttled';

export type Admission =
  | { readonly is: 'admitted'; readonly ticket: Ticket }
  /** `waitMs`: when asking again may help, at the earliest; those who come back should spread over `spreadMs` more. */
  | { readonly is: 'refused'; readonly why: RefusalReason; readonly waitMs: number; readonly spreadMs: number };

/**
 * What became of an admitted attempt.
 *
 * - `answering`: it has begun to answer. Closes the circuit after a probe; a last report still follows.
 * - `success`: the answer came whole.
 * - `failure`: the other side was not able to serve it: an error of its own, overload, time-out, network, rate limit.
 * - `neutral`: says nothing about the other side: a bad request, billing, a mistake of the model, a cancellation.
 */
export type AttemptReport = 'answering' | 'success' | 'failure' | 'neutral';

export type CircuitState = 'closed' | 'open' | 'probing';

/** What people see of one key. */
export interface LimitSnapshot {
  readonly key: LimitKey;
  readonly circuit: CircuitState;
  /** Consecutive failures while closed. */
  readonly failures: number;
  /** Until a probe may go; 0 when one may go now or none is needed. */
  readonly probeInMs: number;
  /** Over which time calls that were parked come back, in milliseconds. */
  readonly spreadMs: number;
  /** 1,000 milli-tokens are one token. */
  readonly milliTokens: number;
  /** False: nothing is retried or hedged. */
  readonly retriesAllowed: boolean;
}

/** A change worth a log line and a counter. */
export type LimitTransition =
  | { readonly what: 'circuit'; readonly key: LimitKey; readonly from: CircuitState; readonly to: CircuitState }
  | { readonly what: 'throttle'; readonly key: LimitKey; readonly retriesAllowed: boolean };

/**
 * Retry throttle and circuit breaker per key, shared by all agents of a worker or, with a store behind it, of all workers.
 * `admit` is asked before every attempt; whoever is admitted reports once (`answering` may come before). Neither throws for
 * what the limits decide; a store that cannot be reached may reject, and then nothing is sent.
 */
export interface SharedLimits {
  admit(key: LimitKey, request: AdmitRequest): Promise<Admission>;
  report(key: LimitKey, ticket: Ticket, report: AttemptReport): Promise<void>;
  /** Every key that is known, or the one that is named. */
  snapshot(key?: LimitKey): Promise<readonly LimitSnapshot[]>;
  /** Called after each change. An error of the listener is not heard. Returns what ends it. */
  onTransition(listener: (transition: LimitTransition) => void): () => void;
}

/** A limit of requests per time, for everybody who holds it. */
export interface RateLimiter {
  /**
   * Resolves when a request may be sent: first come, first served. Rejects with the signal's reason when it is aborted
   * before; such a waiter takes no token.
   */
  take(signal: AbortSignal): Promise<void>;
  /** Takes a token if one is there and nobody stands in line; else returns the milliseconds until one may be. 0: taken. */
  tryTake(): number;
}

/** Thrown by the breaker's middleware: nothing was sent. */
export class NotAdmitted extends Error {
  override readonly name = 'NotAdmitted';
  readonly key: LimitKey;
  readonly why: RefusalReason;
  /** When to come back, in milliseconds, jitter included. At least 1. */
  readonly waitMs: number;

  constructor(key: LimitKey, why: RefusalReason, waitMs: number) {
    const again = `It may be tried again in ${Math.ceil(waitMs / 1_000)} s.`;
    super(`Nothing was sent to ${nameOf(key)}: ${REFUSAL_WORDS[why]}. ${again}`);
    this.key = key;
    this.why = why;
    this.waitMs = waitMs;
  }
}

/**
 * Thrown by the breaker's middleware: one request was sent to see whether the other side is back, and it is not. `cause` is
 * how it failed. The call parks again, and it costs it no attempt.
 */
export class ProbeFailed extends Error {
  override readonly name = 'ProbeFailed';
  readonly key: LimitKey;
  /** When to come back, in milliseconds, jitter included. At least 1. */
  readonly waitMs: number;

  constructor(key: LimitKey, waitMs: number, cause: unknown) {
    super(`The attempt that was to show whether ${nameOf(key)} is back failed.`, { cause });
    this.key = key;
    this.waitMs = waitMs;
  }
}

/** Why nothing is sent now, for people and for models. */
export const REFUSAL_WORDS: Readonly<Record<RefusalReason, string>> = {
  open: 'its last attempts all failed, and it is given a pause',
  probing: 'its last attempts all failed, and one attempt is under way to see whether it is back',
  ramp: 'it has just come back, and the calls that waited for it go a few at a time',
  throttled: 'most of its attempts fail, so nothing is repeated for now',
};

const nameOf = (key: LimitKey): string => key.replace(/^model:/, 'model provider ').replace(/^tool:/, 'tool ');
