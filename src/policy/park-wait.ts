/**
 * Milliseconds a parked call waits: what the refusal said, and a part of the spread by chance. At least 1.
 * @param dice a number in [0, 1)
 */
export function parkWaitMs(
  { waitMs, spreadMs }: { readonly waitMs: number; readonly spreadMs: number },
  dice: number,
): number {
  return Math.max(1, Math.ceil(waitMs + spreadMs * dice));
}
