import type { PriceRow } from '../contracts/price.ts';

const ANTHROPIC = { source: 'https://platform.claude.com/docs/en/about-claude/pricing', asOf: '2026-10-24' } as const;
const OPENAI = { source: 'https://developers.openai.com/api/docs/pricing' } as const;
const GOOGLE = { source: 'https://ai.google.dev/gemini-api/docs/pricing', asOf: '2026-10-07' } as const;

/** Longer requests to OpenAI's large models have a price of their own, which is not on record here. */
const LONG = { long: { overInputTokens: 272_000 } } as const;

const anthropic = (input: number, output: number, cacheRead: number, cacheWrite: number): PriceRow => {
  return { input, output, cacheRead, cacheWrite, ...ANTHROPIC, snapshots: true };
};
const openai = (asOf: string, input: number, output: number, cacheRead: number, more: Partial<PriceRow> = {}) => {
  return { input, output, cacheRead, ...OPENAI, asOf, ...more } satisfies PriceRow;
};
const SNAPSHOTS = { snapshots: true } as const;

/**
 * Public list prices in USD per 1,000,000 tokens, standard tier, without discounts of an account: a fact about a day, not a
 * promise. Only models are here whose price could be stated with its source; for others, and where the bill says otherwise,
 * `prices` in the configuration counts. Writes to Anthropic's cache are those that last five minutes. Where no price of cache
 * reads is given, they cost as input does.
 */
export const PRICES: Readonly<Record<string, PriceRow>> = Object.freeze({
  'anthropic/claude-fable-5-1': anthropic(10, 50, 0.25, 12.5),
  'anthropic/claude-fable-5': anthropic(10, 50, 1, 12.5),
  'anthropic/claude-opus-5-5': anthropic(4, 20, 0.2, 5),
  'anthropic/claude-opus-5': anthropic(5, 25, 0.5, 6.25),
  'anthropic/claude-opus-4-8': anthropic(5, 25, 0.5, 6.25),
  'anthropic/claude-opus-4-7': anthropic(5, 25, 0.5, 6.25),
  'anthropic/claude-opus-4-6': anthropic(5, 25, 0.5, 6.25),
  'anthropic/claude-opus-4-5': anthropic(5, 25, 0.5, 6.25),
  'anthropic/claude-sonnet-5-5': anthropic(2, 10, 0.1, 2.5),
  'anthropic/claude-sonnet-5': anthropic(2, 10, 0.2, 2.5),
  'anthropic/claude-sonnet-4-6': anthropic(3, 15, 0.3, 3.75),
  'anthropic/claude-sonnet-4-5': { ...anthropic(3, 15, 0.3, 3.75), long: { overInputTokens: 200_000 } },
  'anthropic/claude-haiku-5-5': {
    ...anthropic(0.1, 0.5, 0.01, 0.125),
    long: { overInputTokens: 100_000, price: { input: 0.5, output: 2.5, cacheRead: 0.05, cacheWrite: 0.625 } },
  },
  'anthropic/claude-haiku-4-5': anthropic(1, 5, 0.1, 1.25),
  'openai/gpt-6.1-sol': openai('2026-10-01', 2, 10, 0.1, { cacheWrite: 2.5, ...LONG }),
  'openai/gpt-6-sol': openai('2026-09-23', 2, 10, 0.2, { cacheWrite: 2.5, ...LONG }),
  'openai/gpt-6-luna': openai('2026-09-23', 0.1, 0.5, 0.01, { cacheWrite: 0.125, ...LONG }),
  'openai/gpt-5.5': openai('2026-06-01', 5, 30, 0.5, LONG),
  'openai/gpt-5.4': openai('2026-06-01', 2.5, 15, 0.25, LONG),
  'openai/gpt-5.4-mini': openai('2026-06-01', 0.75, 4.5, 0.075),
  'openai/gpt-5.4-nano': openai('2026-06-01', 0.2, 1.25, 0.02),
  'openai/gpt-5': openai('2026-03-21', 1.25, 10, 0.125, SNAPSHOTS),
  'openai/gpt-5-mini': openai('2026-03-21', 0.25, 2, 0.025, SNAPSHOTS),
  'openai/gpt-5-nano': openai('2026-03-21', 0.05, 0.4, 0.005, SNAPSHOTS),
  'openai/gpt-4.1': openai('2026-03-21', 2, 8, 0.5, SNAPSHOTS),
  'openai/gpt-4.1-mini': openai('2026-03-21', 0.4, 1.6, 0.1, SNAPSHOTS),
  'openai/gpt-4.1-nano': openai('2026-03-21', 0.1, 0.4, 0.025, SNAPSHOTS),
  // Its first snapshot costs twice as much.
  'openai/gpt-4o': openai('2026-03-21', 2.5, 10, 1.25),
  'openai/gpt-4o-mini': openai('2026-03-21', 0.15, 0.6, 0.075, SNAPSHOTS),
  'google/gemini-3.5-flash': { input: 1.5, output: 9, ...GOOGLE },
  'google/gemini-3.5-flash-lite': { input: 0.3, output: 2.5, ...GOOGLE },
  'google/gemini-3.1-pro-preview': {
    ...{ input: 2, output: 12, ...GOOGLE },
    long: { overInputTokens: 200_000, price: { input: 4, output: 18 } },
  },
});
