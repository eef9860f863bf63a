/** How long to wait before retry n: random(0, min(max, base × growth^(n−1))), the "full jitter" of AWS' builders' library. */
export interface Backoff {
  readonly baseMs: number;
  readonly maxMs: number;
  readonly growth: number;
}

export const MODEL_BACKOFF: Backoff = Object.freeze({ baseMs: 1_000, maxMs: 30_000, growth: 2 });
export const TOOL_BACKOFF: Backoff = Object.freeze({ baseMs: 500, maxMs: 10_000, growth: 2 });

/** Waits a server asks for beyond this are not slept in a worker. */
export const WAIT_CAP_MS = 60_000;

/** The highest wait before retry n (1 for the first retry). */
export function backoffCeilingMs({ baseMs, maxMs, growth }: Backoff, retry: number): number {
  return Math.min(maxMs, baseMs * growth ** (retry - 1));
}

/**
 * Milliseconds before retry n. A wait the server asked for replaces ours, plus up to 10 % so that many do not return
 * together; zero, negative or unreadable asks are none. Never 0: the real Temporal server then does not retry at all.
 * @param dice a number in [0, 1)
 */
export function retryWaitMs(backoff: Backoff, retry: number, askedMs: number | undefined, dice: number): number {
  const isAsked = askedMs !== undefined && Number.isFinite(askedMs) && askedMs > 0;
  const waitMs = isAsked ? askedMs * (1 + 0.1 * dice) : backoffCeilingMs(backoff, retry) * dice;
  return Math.max(1, Math.round(waitMs));
}
