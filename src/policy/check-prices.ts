import type { HoldfastConfig } from '../contracts/agent.ts';
import type { ModelPrice, Price } from '../contracts/price.ts';
import { checkOptions } from './check-options.ts';

// A new option does not compile until it is named here.
const RATES: Readonly<Record<keyof Price, true>> = { input: true, output: true, cacheRead: true, cacheWrite: true };
const OPTIONS: Readonly<Record<keyof ModelPrice, true>> = { ...RATES, long: true };

/** @throws with what to write instead. */
export function checkPrices({ prices }: Pick<HoldfastConfig, 'prices'>): void {
  if (prices === undefined) return;
  if (typeof prices !== 'object' || prices === null || Array.isArray(prices)) {
    throw new Error(`prices is not an object. Write { 'compatible/my-model': { input: 0.5, output: 2 } }.`);
  }
  for (const [name, price] of Object.entries(prices)) {
    const option = `prices[${JSON.stringify(name)}]`;
    if (!/^[^/*]+\/([^*]+\*?|\*)$/.test(name)) {
      throw new Error(`${option} names no model. Write "account/model", or "account/*" for all models of one.`);
    }
    checkOptions(option, price, Object.keys(OPTIONS));
    checkRates(option, price);
    if (price.long !== undefined) checkLong(`${option}.long`, price.long);
  }
}

function checkLong(option: string, long: NonNullable<ModelPrice['long']>): void {
  checkOptions(option, long, ['overInputTokens', 'price']);
  const { overInputTokens, price } = long;
  if (!Number.isInteger(overInputTokens) || overInputTokens < 1) {
    throw new Error(
      `${option}.overInputTokens is ${shown(overInputTokens)}. Write a whole number of tokens, e.g. 200000.`,
    );
  }
  if (price === undefined) return;
  checkOptions(`${option}.price`, price, Object.keys(RATES));
  checkRates(`${option}.price`, price);
}

function checkRates(option: string, price: Price): void {
  for (const rate of Object.keys(RATES) as (keyof Price)[]) {
    const usd: unknown = price[rate];
    const isNeeded = rate === 'input' || rate === 'output';
    if (usd === undefined && !isNeeded) continue;
    if (typeof usd !== 'number' || !Number.isFinite(usd) || usd < 0 || usd > MOST_USD) {
      throw new Error(
        `${option}.${rate} is ${shown(usd)}. Write USD per 1,000,000 tokens, e.g. 0.5; 0 for a model that costs nothing.`,
      );
    }
    if (Math.abs(usd * 1e6 - Math.round(usd * 1e6)) > 1e-3) {
      throw new Error(`${option}.${rate} is ${shown(usd)}. Write at most six decimals.`);
    }
  }
}

/** A dollar a token: more is a mistake, and would not be exact any more. */
const MOST_USD = 1_000_000;

const shown = (value: unknown): string =>
  typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? 'missing');
