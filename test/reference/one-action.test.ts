import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { digestOf, wireKey } from '../../src/activities/digest.ts';
import { defineTool } from '../../src/policy/define-tool.ts';
import { plannedCall } from './planning.ts';

const cents = z.union([z.number(), z.string()]).transform((given, context) => {
  const amount = Number(given);
  if (!Number.isFinite(amount)) context.addIssue({ code: 'custom', message: 'no amount' });
  return Math.round(amount * 100);
});

/** Its author says what makes two refunds one: order, amount, currency and whom they go to. */
const refund = defineTool({
  name: 'refund',
  description: 'Refunds.',
  input: z.object({
    order: z.string().trim().toUpperCase(),
    amount: cents,
    currency: z.string().trim().toUpperCase(),
    to: z.string().trim(),
  }),
  timeout: '1s',
  intent: ({ order, amount, currency, to }) => `refund:${JSON.stringify([order, amount, currency, to])}`,
  execute: () => Promise.resolve(1),
});

interface Action {
  readonly order: string;
  readonly amount: number;
  readonly currency: string;
  readonly to: string;
}

const ACTIONS: readonly Action[] = [
  { order: 'A-1042', amount: 49, currency: 'EUR', to: 'Zoë Eco' },
  { order: 'B-7', amount: 54.95, currency: 'USD', to: 'josé@example.com' },
  { order: 'ORDER 12 C', amount: 100, currency: 'SEK', to: 'Åsa Öberg co' },
  { order: 'XK-0O1L', amount: 0.1, currency: 'CHF', to: 'élan coop' },
  { order: 'É-2026/11', amount: 1_000_000, currency: 'JPY', to: 'Ünal & Søns, “ec”' },
];

/** Arguments as the text a model writes. */
const text = (action: object): string => JSON.stringify(action);
const escaped = (json: string): string =>
  json.replace(/[^ -~\n]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
/** The same fields, with the amount as its text stands here. */
const amountAs = (action: Action, amount: string): string =>
  text({ ...action, amount: '@' }).replace('"@"', () => amount);
const reversed = (action: Action) => Object.fromEntries(Object.entries(action).reverse());

const SAME: readonly (readonly [string, (action: Action) => string])[] = [
  ['order in small letters', (a) => text({ ...a, order: a.order.toLowerCase() })],
  ['spaces around', (a) => text({ ...a, order: `  ${a.order}\t`, to: `\n${a.to} ` })],
  ['currency in small letters', (a) => text({ ...a, currency: ` ${a.currency.toLowerCase()}` })],
  ['the amount with two places', (a) => amountAs(a, a.amount.toFixed(2))],
  ['the amount as text', (a) => text({ ...a, amount: a.amount.toFixed(2) })],
  ['the amount with an exponent', (a) => amountAs(a, `${a.amount * 100}e-2`)],
  ['keys the other way round', (a) => text(reversed(a))],
  ['white space in the JSON', (a) => JSON.stringify(a, null, 2)],
  ['letters taken apart', (a) => text(a).normalize('NFD')],
  ['letters escaped', (a) => escaped(text(a))],
  ['a key of its own, and further arguments', (a) => text({ idempotency_key: 'k2', ...a, memo: 'soon', intent_id: 1 })],
  [
    'all of it',
    (a) => escaped(JSON.stringify(reversed({ ...a, order: ` ${a.order.toLowerCase()}` }), null, 1).normalize('NFD')),
  ],
];

const OTHER: readonly (readonly [string, (action: Action) => Action])[] = [
  ['a cent more', (a) => ({ ...a, amount: a.amount + 0.01 })],
  ['ten times as much', (a) => ({ ...a, amount: a.amount * 10 })],
  ['less than nothing', (a) => ({ ...a, amount: -a.amount })],
  ['another currency', (a) => ({ ...a, currency: 'GBP' })],
  ['a currency in other letters', (a) => ({ ...a, currency: a.currency.replace(/[A-Z]$/, '\u0421') })],
  ['another recipient', (a) => ({ ...a, to: `${a.to} Jr` })],
  ['a recipient without the accents', (a) => ({ ...a, to: a.to.normalize('NFD').replace(/\p{M}/gu, '') })],
  ['a recipient in look-alike letters', (a) => ({ ...a, to: a.to.replace('o', '\u043e').replace('c', '\u0441') })],
  ['another order', (a) => ({ ...a, order: `${a.order}0` })],
  ['an order with something one cannot see', (a) => ({ ...a, order: `${a.order}\u200b` })],
  [
    'an order in wide letters',
    (a) => ({ ...a, order: a.order.replace(/\d/, (d) => String.fromCharCode(d.charCodeAt(0) + 0xfee0)) }),
  ],
  ['an order read from right to left', (a) => ({ ...a, order: `\u202e${a.order}` })],
];

async function nameOf(input: string) {
  const { key, digest } = await plannedCall(refund, input);
  return { key, digest, wire: wireKey(key, 1) };
}

const table = <T>(ways: readonly (readonly [string, T])[]) =>
  ACTIONS.flatMap((action) => ways.map(([how, change]) => [action.order, how, action, change] as const));

describe('one action, however it is written', () => {
  test.each(table(SAME))('%s, %s', async (_, __, action, written) => {
    expect(await nameOf(written(action))).toEqual(await nameOf(text({ ...action })));
  });
});

describe('another action, however alike it looks', () => {
  test.each(table(OTHER))('%s, %s', async (_, __, action, change) => {
    const [one, other] = [await nameOf(text({ ...action })), await nameOf(text({ ...change(action) }))];
    expect(other.key.intent).not.toBe(one.key.intent);
    expect(other.digest).not.toBe(one.digest);
    expect(other.wire).not.toBe(one.wire);
  });

  test('and no two of them are one', async () => {
    const all = ACTIONS.flatMap((action) => [action, ...OTHER.map(([, change]) => change(action))]);
    const names = await Promise.all(all.map((action) => nameOf(text({ ...action }))));
    expect(new Set(names.map(({ wire }) => wire)).size).toBe(65);
    expect(new Set(names.map(({ digest }) => digest)).size).toBe(65);
  });
});

describe('a digest', () => {
  test('is the same for field names in any Unicode form', () => {
    const fields = { z: 1, é: 2 };
    expect(digestOf(JSON.parse(text(fields).normalize('NFD')) as typeof fields)).toBe(digestOf(fields));
  });
});
