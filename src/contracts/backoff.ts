import type { Duration } from './duration.ts';

/**
 * How the wait before retry n is drawn from its ceiling, c = min(max, base × growth^(n−1)). The names are those of AWS'
 * "Exponential Backoff and Jitter".
 *
 * - `full`: random(0, c).
 * - `equal`: c/2 + random(0, c/2).
 * - `decorrelated`: min(max, random(base, 3 × the wait before)); it grows by itself and has no use for `growth`.
 * - `fixed`: base, every time.
 */
export type Jitter = 'full' | 'equal' | 'decorrelated' | 'fixed';

/** How long to wait before a call is repeated, where the server did not say. */
export interface BackoffSettings {
  /** Default 1 s for models, 0.5 s for tools. */
  readonly base?: Duration;
  /** Default 30 s for models, 10 s for tools. */
  readonly max?: Duration;
  /** Default 2: the ceiling doubles with each retry. */
  readonly growth?: number;
  /** Default `full`. */
  readonly jitter?: Jitter;
}

/** The same, checked. */
export interface BackoffMs {
  readonly baseMs: number;
  readonly maxMs: number;
  readonly growth: number;
  /** Default `full`. */
  readonly jitter?: Jitter;
}
