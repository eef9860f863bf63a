/**
 * Milliseconds a server asks us to wait: `retry-after-ms`, or `Retry-After` as seconds or as an HTTP date judged by the
 * answer's own `Date` (our clock may be wrong). Unreadable, zero or negative: undefined, as if it had not asked.
 */
export function readRetryAfter(header: (name: string) => string | null, now: number): number | undefined {
  const ms = Number(header('retry-after-ms') ?? Number.NaN);
  if (Number.isFinite(ms) && ms > 0) return Math.round(ms);
  const value = header('retry-after')?.trim() ?? '';
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value) > 0 ? Math.round(Number(value) * 1_000) : undefined;
  const at = Date.parse(value);
  if (Number.isNaN(at) || !/[a-z]/i.test(value)) return undefined;
  const sentAt = Date.parse(header('date') ?? '');
  const waitMs = at - (Number.isNaN(sentAt) ? now : sentAt);
  return waitMs > 0 ? waitMs : undefined;
}
