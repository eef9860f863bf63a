/**
 * Time and chance, as middleware needs them. Real: `systemClock` (src/middleware). In tests: `createVirtualClock`
 * (`holdfast/testing`), where waiting takes no time.
 */
export interface Clock {
  /** Milliseconds since some fixed moment. Never goes back: not the time of day, so nobody can set it. */
  now(): number;
  /** Resolves after `ms`, at once for 0 or less. Rejects with the signal's reason as soon as it is aborted. */
  wait(ms: number, signal?: AbortSignal): Promise<void>;
  /** A number in [0, 1). */
  dice(): number;
}
