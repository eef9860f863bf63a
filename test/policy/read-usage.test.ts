import { expect, test } from '@jest/globals';
import type { Usage } from '../../src/contracts/events.ts';
import { billOfCall } from '../../src/policy/bill-of-calls.ts';
import { costReport } from '../../src/policy/cost-report.ts';
import { readCallBill } from '../../src/policy/read-bill.ts';
import { readUsage } from '../../src/policy/read-usage.ts';
import { modelAttempt, PRICES, started, UNKNOWN, used } from './cost-events.ts';

const said = (total: number | undefined) =>
  readUsage({
    inputTokens: { total, noCache: undefined, cacheRead: total, cacheWrite: total },
    outputTokens: { total, text: undefined, reasoning: undefined },
  });

test.each<[number | undefined, Usage]>([
  [7, used(7, 7, { cacheReadTokens: 7, cacheWriteTokens: 7 })],
  [0, used(0, 0, { cacheReadTokens: 0, cacheWriteTokens: 0 })],
  [1e12, used(1e12, 1e12, { cacheReadTokens: 1e12, cacheWriteTokens: 1e12 })],
  [undefined, UNKNOWN],
  [-1, UNKNOWN],
  [10.5, UNKNOWN],
  [NaN, UNKNOWN],
  [Infinity, UNKNOWN],
  [1e300, UNKNOWN],
])('of %p tokens as a provider says', (total, usage) => {
  expect(said(total)).toEqual(usage);
});

test.each([7, -1_000, 10.5, 1e12, 1e17, 1e300])('where a provider says %p, the run and its report agree', (total) => {
  const usage = said(total);
  const request = { inputChars: 30, end: { usage, outputChars: 3 } };
  const turns = Array.from({ length: 40 }, () => request);
  const events = [started(), ...modelAttempt({ requests: turns, usage })];
  const { spend } = costReport({ run: 'r', events, prices: PRICES, now: 99 });
  const bill: unknown = JSON.parse(JSON.stringify(billOfCall('t1', { events, prices: PRICES })));
  expect(readCallBill(bill)?.spend).toEqual(spend);
});
