/** Dollars, as a provider writes them, in whole micro-dollars. Null for what is no amount of money. */
export function usdToMicros(usd: unknown): number | null {
  if (typeof usd !== 'number' || !Number.isFinite(usd) || usd < 0) return null;
  // 0.0002715 times a million is a little less than 271.5 for a computer.
  return Math.round(Number((usd * 1_000_000).toPrecision(15)));
}
