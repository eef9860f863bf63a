/** Parked calls come back spread over this time, so that a provider that recovers is not met by all of them at once. */
export const PARK_SPREAD_MS = 10_000;

/**
 * Milliseconds a parked call waits: what the refusal said, and a part of the spread by chance. At least 1.
 * @param dice a number in [0, 1)
 */
export function parkWaitMs(refusedForMs: number, dice: number, spreadMs = PARK_SPREAD_MS): number {
  return Math.max(1, Math.ceil(refusedForMs + spreadMs * dice));
}
