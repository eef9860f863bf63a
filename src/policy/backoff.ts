import type { BackoffMs } from '../contracts/backoff.ts';
import { assertNever } from './assert-never.ts';

export type Backoff = BackoffMs;

export const MODEL_BACKOFF: Backoff = Object.freeze({ baseMs: 1_000, maxMs: 30_000, growth: 2 });
export const TOOL_BACKOFF: Backoff = Object.freeze({ baseMs: 500, maxMs: 10_000, growth: 2 });

/** Waits a server asks for beyond this are not slept in a worker. */
export const WAIT_CAP_MS = 60_000;

/** The highest wait before retry n (1 for the first retry). */
export function backoffCeilingMs({ baseMs, maxMs, growth, jitter = 'full' }: Backoff, retry: number): number {
  switch (jitter) {
    case 'full':
    case 'equal':
      return Math.min(maxMs, baseMs * growth ** (retry - 1));
    case 'decorrelated':
      return Math.min(maxMs, baseMs * 3 ** retry);
    case 'fixed':
      return Math.min(maxMs, baseMs);
    default:
      return assertNever(jitter);
  }
}

/** One wait: `retry` counts from 1, `dice` is a number in [0, 1), `previousMs` the wait before (only decorrelated asks). */
export interface WaitDraw {
  readonly retry: number;
  readonly dice: number;
  /** Not known: taken to be base × 2^(n−2), so that it still grows with the retries. */
  readonly previousMs?: number | undefined;
}

/** Milliseconds before a retry, not rounded. */
export function backoffWaitMs(backoff: Backoff, { retry, dice, previousMs }: WaitDraw): number {
  const { baseMs, maxMs, jitter = 'full' } = backoff;
  const ceilingMs = backoffCeilingMs(backoff, retry);
  switch (jitter) {
    case 'full':
      return ceilingMs * dice;
    case 'equal':
      return (ceilingMs / 2) * (1 + dice);
    case 'decorrelated': {
      const beforeMs = previousMs ?? Math.min(maxMs, baseMs * 2 ** Math.max(0, retry - 2));
      return Math.min(maxMs, baseMs + dice * (3 * beforeMs - baseMs));
    }
    case 'fixed':
      return ceilingMs;
    default:
      return assertNever(jitter);
  }
}

/**
 * Milliseconds before retry n. A wait the server asked for replaces ours, plus up to 10 % so that many do not return
 * together; zero, negative or unreadable asks are none. Never 0: the real Temporal server then does not retry at all.
 * @param dice a number in [0, 1)
 * @param previousMs the wait before this one, where it is known; only decorrelated jitter asks for it
 */
export function retryWaitMs(
  backoff: Backoff,
  retry: number,
  askedMs: number | undefined,
  dice: number,
  previousMs?: number,
): number {
  const isAsked = askedMs !== undefined && Number.isFinite(askedMs) && askedMs > 0;
  const waitMs = isAsked ? askedMs * (1 + 0.1 * dice) : backoffWaitMs(backoff, { retry, dice, previousMs });
  return Math.max(1, Math.round(waitMs));
}
