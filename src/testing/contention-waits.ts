import type { Jitter } from '../contracts/backoff.ts';
import { backoffCeilingMs, backoffWaitMs } from '../policy/backoff.ts';

/** What a client does between two attempts. `exponential` is the ceiling itself, without chance; `none` is no wait at all. */
export type ContentionWait = 'none' | 'exponential' | Jitter;

export interface WaitSetting {
  readonly baseMs: number;
  readonly maxMs: number;
  /** Of a fixed wait. */
  readonly fixedMs: number;
}

/** Milliseconds before retry n, after a wait of `previousMs`: the product's own rules, and the two it has no use for. */
export function contentionWaitMs(
  wait: ContentionWait,
  { baseMs, maxMs, fixedMs }: WaitSetting,
  draw: { readonly retry: number; readonly dice: number; readonly previousMs: number },
): number {
  const backoff = { baseMs, maxMs, growth: 2 };
  if (wait === 'none') return 0;
  if (wait === 'exponential') return backoffCeilingMs(backoff, draw.retry);
  return backoffWaitMs({ ...backoff, baseMs: wait === 'fixed' ? fixedMs : baseMs, jitter: wait }, draw);
}
