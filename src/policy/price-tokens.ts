import type { ModelPrice, Price } from '../contracts/price.ts';

/** Tokens of one request, as in `Usage`: the two of caches are part of the input. */
export interface Tokens {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
}

/** A dollar per million tokens is a micro-dollar per token; prices have at most six decimals. */
const DECIMALS = 1_000_000;

/**
 * What a request costs, in whole micro-dollars: exact, and rounded once, half up. Sums over requests are sums of whole numbers,
 * so they are exact too, in any order. Null where a request of this length has a price that is not known.
 */
export function priceTokens(tokens: Tokens, price: ModelPrice): number | null {
  const rates = ratesFor(tokens, price);
  return rates ? micros(tokens, rates) : null;
}

function ratesFor({ inputTokens }: Tokens, price: ModelPrice): Price | undefined {
  return price.long && inputTokens > price.long.overInputTokens ? price.long.price : price;
}

function micros(tokens: Tokens, { input, output, cacheRead = input, cacheWrite = input }: Price): number {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = tokens;
  // What a provider says of its caches may be more than it says of all input.
  const uncached = Math.max(0, inputTokens - cacheReadTokens - cacheWriteTokens);
  const millionths =
    times(uncached, input) +
    times(cacheReadTokens, cacheRead) +
    times(cacheWriteTokens, cacheWrite) +
    times(outputTokens, output);
  return Number((millionths + BigInt(DECIMALS / 2)) / BigInt(DECIMALS));
}

const times = (tokens: number, usdPerMillion: number): bigint =>
  BigInt(Math.round(tokens)) * BigInt(Math.round(usdPerMillion * DECIMALS));
