import { readCount } from './read-count.ts';

/** Dollars, as a provider writes them, in whole micro-dollars. Null for what is no amount of money, or beyond belief. */
export function usdToMicros(usd: unknown): number | null {
  if (typeof usd !== 'number' || !Number.isFinite(usd) || usd < 0) return null;
  // 0.0002715 times a million is a little less than 271.5 for a computer.
  return readCount(Math.round(Number((usd * 1_000_000).toPrecision(15))));
}

/** What a reply cost with a key of one's own at the provider, whose bill comes on top of the fee. An absent bill is none. */
export function withUpstream(feeMicros: number, upstreamUsd: unknown): number | null {
  const upstream = upstreamUsd === undefined || upstreamUsd === null ? 0 : usdToMicros(upstreamUsd);
  return upstream === null ? null : readCount(feeMicros + upstream);
}
