/** One request per `intervalMs`, and up to `burst` at once after a pause. */
export interface RateRule {
  /** 0: no limit. */
  readonly intervalMs: number;
  /** At least 1. */
  readonly burst: number;
}

/** The moment at which the bucket will be full again; at rest, any moment that has passed. */
export type TokenBucket = number;

export const FULL_BUCKET: TokenBucket = Number.NEGATIVE_INFINITY;

/** Milliseconds until a token is there; 0: now. */
export function tokenWaitMs(bucket: TokenBucket, now: number, { intervalMs, burst }: RateRule): number {
  if (intervalMs === 0) return 0;
  return Math.max(0, bucket - now - (burst - 1) * intervalMs);
}

/** The bucket with one token fewer. For a token that is there. */
export function takeToken(bucket: TokenBucket, now: number, { intervalMs }: RateRule): TokenBucket {
  return intervalMs === 0 ? bucket : Math.max(bucket, now) + intervalMs;
}
