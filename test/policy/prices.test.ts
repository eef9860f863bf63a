import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { ModelPrice, Prices } from '../../src/contracts/price.ts';
import { defineAgent, defineConfig } from '../../src/policy/define-agent.ts';
import { findPrice } from '../../src/policy/find-price.ts';
import { priceTokens, type Tokens } from '../../src/policy/price-tokens.ts';
import { PRICES } from '../../src/policy/prices.ts';
import { usdToMicros } from '../../src/policy/usd-to-micros.ts';

const tokens = (input: number, output: number, read = 0, write = 0): Tokens => {
  return { inputTokens: input, outputTokens: output, cacheReadTokens: read, cacheWriteTokens: write };
};
const SONNET: ModelPrice = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };

describe('the price of a request', () => {
  test('is exact: 1 M in, 0.5 M out, 0.2 M read and 0.1 M written are $10.935', () => {
    expect(priceTokens(tokens(1_300_000, 500_000, 200_000, 100_000), SONNET)).toBe(10_935_000);
  });

  test.each<[string, Tokens, ModelPrice, number | null]>([
    ['nothing', tokens(0, 0), SONNET, 0],
    ['one token in', tokens(1, 0), SONNET, 3],
    ['a part of a micro-dollar, half up', tokens(5, 0), { input: 0.1, output: 0 }, 1],
    ['less than half of one', tokens(4, 0), { input: 0.1, output: 0 }, 0],
    ['tenths, which no computer adds exactly', tokens(3, 0, 1, 1), { input: 0.1, output: 0, cacheRead: 0.2 }, 0],
    ['a cache without a price of its own, as input', tokens(10, 0, 4, 3), { input: 2, output: 0 }, 20],
    ['more in the caches than in all', tokens(5, 0, 10, 0), { input: 2, output: 0, cacheRead: 1 }, 10],
    [
      'a long one with a price',
      tokens(101, 1),
      { ...SONNET, long: { overInputTokens: 100, price: { input: 6, output: 20 } } },
      626,
    ],
    [
      'one that is just not long',
      tokens(100, 1),
      { ...SONNET, long: { overInputTokens: 100, price: { input: 6, output: 20 } } },
      315,
    ],
    ['a long one without a price', tokens(101, 1), { ...SONNET, long: { overInputTokens: 100 } }, null],
    ['a billion tokens', tokens(1e9, 1e9), { input: 123.456789, output: 0.000001 }, 123_456_790_000],
  ])('%s', (_, used, price, micros) => {
    expect(priceTokens(used, price)).toBe(micros);
  });

  const rate = fc.integer({ min: 0, max: 100_000_000 }).map((millionths) => millionths / 1e6);
  const count = fc.integer({ min: 0, max: 50_000_000 });

  test('is what whole numbers say, for any price of six decimals', () => {
    fc.assert(
      fc.property(rate, rate, count, count, (input, output, used, written) => {
        const millionths =
          BigInt(used) * BigInt(Math.round(input * 1e6)) + BigInt(written) * BigInt(Math.round(output * 1e6));
        const micros = priceTokens(tokens(used, written), { input, output });
        const off = BigInt(micros ?? -1) * 1_000_000n - millionths;
        expect(off > -500_000n && off <= 500_000n).toBe(true);
      }),
    );
  });

  test('never falls when more is used', () => {
    fc.assert(
      fc.property(rate, rate, count, count, count, (input, output, used, written, more) => {
        const price = { input, output };
        const less = priceTokens(tokens(used, written), price) ?? 0;
        expect(priceTokens(tokens(used + more, written), price)).toBeGreaterThanOrEqual(less);
      }),
    );
  });
});

describe('dollars of a provider', () => {
  test.each<[unknown, number | null]>([
    [0, 0],
    [0.000271, 271],
    [0.0001245, 125],
    [1.1, 1_100_000],
    [123.456789, 123_456_789],
    [-1, null],
    [Number.NaN, null],
    ['0.1', null],
    [undefined, null],
    [null, null],
    [1e6, 1e12],
    [1e7, null],
    [1e308, null],
  ])('%p', (usd, micros) => {
    expect(usdToMicros(usd)).toBe(micros);
  });
});

describe('the price of a model', () => {
  const own = { input: 1, output: 2 };
  const other = { input: 3, output: 4 };
  test.each<[string, string, string, Prices | undefined, ModelPrice | undefined]>([
    ['in the table', 'anthropic', 'claude-opus-5-5', undefined, PRICES['anthropic/claude-opus-5-5']],
    ['a dated snapshot', 'anthropic', 'claude-haiku-4-5-20251001', undefined, PRICES['anthropic/claude-haiku-4-5']],
    ['a dated snapshot, other style', 'openai', 'gpt-4.1-2025-04-14', undefined, PRICES['openai/gpt-4.1']],
    ['a snapshot with a price of its own', 'openai', 'gpt-4o-2024-05-13', undefined, undefined],
    ['the responses API', 'openai-responses', 'gpt-5', undefined, PRICES['openai/gpt-5']],
    ['a model object', 'openai.chat', 'gpt-5', undefined, PRICES['openai/gpt-5']],
    ['another model that begins so', 'openai', 'gpt-5-turbo', undefined, undefined],
    ['a mere beginning', 'anthropic', 'claude-opus', undefined, undefined],
    ['another account with such a model', 'compatible', 'gpt-5', undefined, undefined],
    ['a name every object has', 'openai', 'constructor', { 'openai/x': own }, undefined],
    ['the user’s', 'compatible', 'mine', { 'compatible/mine': own }, own],
    ['the user’s, before the table', 'openai', 'gpt-5', { 'openai/gpt-5': own }, own],
    ['the user’s, by the provider’s own name', 'openai.chat', 'gpt-5', { 'openai/gpt-5': own }, own],
    ['the user’s for all of an account', 'compatible', 'any', { 'compatible/*': own }, own],
    ['the longest beginning', 'compatible', 'big-1', { 'compatible/*': own, 'compatible/big*': other }, other],
    [
      'the whole name before a beginning',
      'compatible',
      'big-1',
      { 'compatible/big*': own, 'compatible/big-1': other },
      other,
    ],
    ['no beginning without a star', 'compatible', 'mine-2', { 'compatible/mine': own }, undefined],
  ])('%s', (_, account, model, prices, price) => {
    expect(findPrice({ account, model }, prices)).toEqual(price);
  });

  test.each(Object.entries(PRICES))('the row of %s says when and where it was read', (name, row) => {
    expect(name).toMatch(/^(anthropic|openai|google)\/[^/]+$/);
    expect(row.asOf).toMatch(/^202\d-\d{2}-\d{2}$/);
    expect(row.source).toMatch(/^https:\/\//);
    expect(row.input).toBeGreaterThan(0);
    expect(row.output).toBeGreaterThan(row.input);
    expect(row.cacheRead ?? 0).toBeLessThan(row.input);
    expect(row.cacheWrite ?? row.input).toBeGreaterThanOrEqual(row.input);
  });
});

describe('prices in the configuration', () => {
  const agent = defineAgent({ name: 'support', instructions: 'help', model: 'stand-in/x', tools: [] });
  const define = (prices: unknown) => defineConfig({ agents: [agent], prices: prices as Prices });

  test.each<[string, Prices]>([
    ['a model', { 'compatible/mine': { input: 0.5, output: 2, cacheRead: 0.05, cacheWrite: 0.6 } }],
    ['one that costs nothing', { 'compatible/mine': { input: 0, output: 0 } }],
    ['all of an account', { 'compatible/*': { input: 0, output: 0 } }],
    ['a name with slashes', { 'openrouter/vendor/model:free': { input: 0, output: 0 } }],
    ['long requests', { 'a/b': { input: 1, output: 1, long: { overInputTokens: 5, price: { input: 2, output: 2 } } } }],
    ['six decimals', { 'a/b': { input: 0.000001, output: 1.123456 } }],
  ])('are taken: %s', (_, prices) => {
    expect(define(prices).prices).toEqual(prices);
  });

  const row = { input: 1, output: 2 };
  test.each<[unknown, string]>([
    [[], 'prices is not an object. Write { '],
    ['free', 'prices is not an object'],
    [{ mine: row }, 'prices["mine"] names no model. Write "account/model"'],
    [{ 'a/b*c': row }, 'prices["a/b*c"] names no model'],
    [{ '*': row }, 'prices["*"] names no model'],
    [{ 'a/b': 3 }, 'prices["a/b"] is not an object. Write one with input, output, cacheRead, cacheWrite, long.'],
    [{ 'a/b': { ...row, cachedRead: 1 } }, 'prices["a/b"] has no option "cachedRead". Did you mean "cacheRead"?'],
    [{ 'a/b': { input: 1 } }, 'prices["a/b"].output is missing. Write USD per 1,000,000 tokens'],
    [{ 'a/b': { ...row, input: -1 } }, 'prices["a/b"].input is -1. Write USD'],
    [{ 'a/b': { ...row, input: '3' } }, 'prices["a/b"].input is "3". Write USD'],
    [{ 'a/b': { ...row, cacheRead: Number.NaN } }, 'prices["a/b"].cacheRead is NaN. Write USD'],
    [{ 'a/b': { ...row, output: Infinity } }, 'prices["a/b"].output is Infinity. Write USD'],
    [{ 'a/b': { ...row, output: 0.0000015 } }, 'prices["a/b"].output is 0.0000015. Write at most six decimals.'],
    [{ 'a/b': { ...row, long: { overInputTokens: 0 } } }, 'prices["a/b"].long.overInputTokens is 0. Write a whole'],
    [{ 'a/b': { ...row, long: { over: 5 } } }, 'prices["a/b"].long has no option "over"'],
    [
      { 'a/b': { ...row, long: { overInputTokens: 5, price: { input: 1 } } } },
      'prices["a/b"].long.price.output is missing',
    ],
  ])('%p is refused', (prices, message) => {
    expect(() => define(prices)).toThrow(message);
  });
});
