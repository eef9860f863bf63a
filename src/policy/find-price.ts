import type { ModelTarget } from '../contracts/middleware.ts';
import type { ModelPrice, Prices } from '../contracts/price.ts';
import { PRICES } from './prices.ts';

/** Names under which the AI SDK and `provider/model` know a provider of the table. */
const ALIASES: Readonly<Record<string, string>> = {
  'openai-responses': 'openai',
  'openai.chat': 'openai',
  'openai.responses': 'openai',
  'anthropic.messages': 'anthropic',
  'google.generative-ai': 'google',
};

/** `claude-haiku-4-5-20251001`, `gpt-4.1-2025-04-14`. */
const SNAPSHOT = /-(\d{8}|\d{4}-\d{2}-\d{2})$/;

/**
 * What a model costs; undefined where nobody has said: then it is not known, and never 0. The user's `prices` come first, by the
 * whole name, then by the longest that ends in `*`; then the built-in table, by the whole name or that of which it is a snapshot.
 */
export function findPrice(
  { account, model }: Pick<ModelTarget, 'account' | 'model'>,
  prices: Prices = {},
): ModelPrice | undefined {
  const names = [`${account}/${model}`, ...(Object.hasOwn(ALIASES, account) ? [`${ALIASES[account]}/${model}`] : [])];
  for (const name of names) {
    const own = ownPrice(name, prices);
    if (own) return own;
  }
  return names.map(listed).find(Boolean);
}

function ownPrice(name: string, prices: Prices): ModelPrice | undefined {
  if (Object.hasOwn(prices, name)) return prices[name];
  const [longest] = Object.keys(prices)
    .filter((key) => key.endsWith('*') && name.startsWith(key.slice(0, -1)))
    .sort((a, b) => b.length - a.length);
  return longest === undefined ? undefined : prices[longest];
}

function listed(name: string): ModelPrice | undefined {
  if (Object.hasOwn(PRICES, name)) return PRICES[name];
  const whole = name.replace(SNAPSHOT, '');
  const row = Object.hasOwn(PRICES, whole) ? PRICES[whole] : undefined;
  return row?.snapshots ? row : undefined;
}
