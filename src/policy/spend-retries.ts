import type { CallTally, RetryBudget } from '../contracts/retry-budget.ts';

/** A run's budget for repeating: enough for bad minutes, and an end to a bad day. */
export const RETRY_BUDGET: RetryBudget = Object.freeze({ retries: 12, ms: 45_000 });

/** What each call that succeeds gives back, up to where the run began. */
const REFILL: RetryBudget = Object.freeze({ retries: 0.1, ms: 400 });

/** Why no further attempt follows; `asked-to-wait` may go on in the workflow. */
export type NoRetry = 'permanent' | 'attempts' | 'time' | 'budget';

/** One attempt that has ended in trouble, and the wait that would follow it. Milliseconds. */
export interface EndedAttempt {
  readonly tookMs: number;
  readonly waitMs: number;
  /** The server asked for the wait: it is not held against the budget. */
  readonly isAsked: boolean;
}

/**
 * The tally after an attempt that sent something. Every attempt but the first of a call is a repetition. `tookMs`: 0 for one that
 * succeeded, since its time was work and not repeating.
 */
export function tallyAttempt(tally: CallTally, tookMs: number): CallTally {
  const isRetry = tally.sent > 0;
  return {
    sent: tally.sent + 1,
    used: isRetry ? { retries: tally.used.retries + 1, ms: tally.used.ms + tookMs } : tally.used,
    spentMs: tally.spentMs + tookMs,
    parked: false,
  };
}

/** The tally once its next wait is decided upon. */
export function tallyWait(tally: CallTally, { waitMs, isAsked }: Omit<EndedAttempt, 'tookMs'>): CallTally {
  const { used, spentMs } = tally;
  return { ...tally, spentMs: spentMs + waitMs, used: isAsked ? used : { ...used, ms: used.ms + waitMs } };
}

/** Why a call may not be repeated, judged by what it has used with its last attempt; undefined: it may. */
export function whyNoRetry(
  tally: CallTally,
  { waitMs, isAsked }: Omit<EndedAttempt, 'tookMs'>,
  limits: { readonly attempts: number; readonly totalMs: number; readonly budget: RetryBudget },
): Exclude<NoRetry, 'permanent'> | undefined {
  const { attempts, totalMs, budget } = limits;
  if (tally.sent >= attempts) return 'attempts';
  const next = tallyWait(tally, { waitMs, isAsked });
  if (next.spentMs >= totalMs) return 'time';
  return tally.used.retries + 1 > budget.retries || next.used.ms > budget.ms ? 'budget' : undefined;
}

/** What is left of a run's budget when a call comes back with what it used; one that succeeded gives something back. */
export function takeBack(
  left: RetryBudget,
  used: RetryBudget,
  { start, succeeded }: { readonly start: RetryBudget; readonly succeeded: boolean },
): RetryBudget {
  const refill = succeeded ? REFILL : { retries: 0, ms: 0 };
  const level = (now: number, most: number) => Math.min(most, Math.max(0, Math.round(now * 10) / 10));
  return {
    retries: level(left.retries - used.retries + refill.retries, start.retries),
    ms: level(left.ms - used.ms + refill.ms, start.ms),
  };
}
