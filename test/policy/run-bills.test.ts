import { describe, expect, test } from '@jest/globals';
import type { CallBill } from '../../src/contracts/bill.ts';
import { readBill, readCallBill, readKeptAnswer } from '../../src/policy/read-bill.ts';
import {
  billsOfOlder,
  closeBill,
  closeUntold,
  correctBill,
  NO_BILLS,
  noteBill,
  spentOf,
} from '../../src/policy/run-bills.ts';
import { NO_COST } from '../../src/policy/sum-costs.ts';
import { used } from './cost-events.ts';

/** A call with an answer at 100, and one request more at `rest` or, without it, at a cost that is not known. */
function bill(rest?: number): CallBill {
  const answer = { ...NO_COST, micros: 100, requests: 1, inputTokens: 10, outputTokens: 1 };
  const unknown = rest === undefined ? 1 : 0;
  const spend = { ...answer, micros: 100 + (rest ?? 0), requests: 2, unknown };
  return { answer, spend, unmetered: unknown, isMissing: rest === undefined };
}

const spent = (micros: number, requests: number, unknown = 0) => {
  return { micros, requests, unknown, estimated: 0, estimatedMicros: 0 };
};

describe('what a run has spent', () => {
  test('is nothing as long as nothing was asked', () => {
    expect(spentOf(NO_BILLS)).toEqual({
      spend: { inputTokens: 0, outputTokens: 0, unmetered: 0, cost: spent(0, 0) },
      answerCost: spent(0, 0),
    });
  });

  test('is the sum over its calls', () => {
    const bills = closeBill(closeBill(NO_BILLS, 't1', bill(5)), 't2', bill(7));
    expect(spentOf(bills)).toEqual({
      spend: { inputTokens: 20, outputTokens: 2, unmetered: 0, cost: spent(212, 4) },
      answerCost: spent(200, 2),
    });
    expect(bills.open).toEqual({});
  });

  test('has a call that goes on as far as it has said, once', () => {
    const parked = noteBill(noteBill(NO_BILLS, 't1', bill(1)), 't1', bill(5));
    expect(spentOf(parked).spend.cost).toEqual(spent(105, 2));
    expect(spentOf(closeBill(parked, 't1', bill(9))).spend.cost).toEqual(spent(109, 2));
  });

  test('is corrected when something is found, as often as need be', () => {
    const bills = closeBill(closeBill(NO_BILLS, 't1', bill()), 't2', bill(7));
    expect(spentOf(bills).spend).toMatchObject({ unmetered: 1, cost: spent(207, 4, 1) });
    const corrected = correctBill(bills, 't1', bill(5));
    expect(spentOf(corrected).spend).toMatchObject({ unmetered: 0, cost: spent(212, 4) });
    expect(correctBill(corrected, 't1', bill(5))).toBe(corrected);
  });

  test('knows that it is not known what a call cost that ended without a word, and keeps what was', () => {
    const bills = closeUntold(noteBill(NO_BILLS, 't1', bill(5)), 't1');
    expect(spentOf(bills)).toMatchObject({ spend: { cost: spent(105, 2, 1) }, answerCost: spent(100, 1, 1) });
    const told = spentOf(closeUntold(NO_BILLS, 't1', used(10, 1)));
    expect(told.spend).toEqual({ inputTokens: 10, outputTokens: 1, unmetered: 0, cost: spent(0, 0, 1) });
    expect(spentOf(closeUntold(NO_BILLS, 't1', used(null, null))).spend.unmetered).toBe(1);
  });

  test('of a run that an older version began is not known, and has its tokens', () => {
    const { spend } = spentOf(billsOfOlder({ inputTokens: 10, outputTokens: 1, unmetered: 2 }, 3));
    expect(spend).toEqual({ inputTokens: 10, outputTokens: 1, unmetered: 2, cost: spent(0, 0, 3) });
  });

  test('keeps few bills open, and loses nothing of the others', () => {
    const bills = Array.from({ length: 50 }, (_, at) => `t${at}`).reduce(
      (all, call) => closeBill(all, call, bill()),
      NO_BILLS,
    );
    expect(Object.keys(bills.open)).toHaveLength(30);
    expect(bills.open).toHaveProperty('t49');
    expect(spentOf(bills).spend.cost).toEqual(spent(5_000, 100, 50));
  });
});

test.each<[string, unknown]>([
  ['nothing', undefined],
  ['a text', 'free'],
  ['a bill without its totals', { unmetered: 0 }],
  ['a sum that is none', { ...bill(5), spend: { ...NO_COST, micros: -1 } }],
  ['a fraction', { ...bill(5), spend: { ...NO_COST, micros: 0.5 } }],
  ['a field that is missing', { ...bill(5), answer: { micros: 1 } }],
])('%s is no bill', (_, value) => {
  expect(readBill(value)).toBeUndefined();
  expect(readCallBill(value)).toBeUndefined();
});

test('a bill is read as it was said', () => {
  expect(readCallBill(JSON.parse(JSON.stringify(bill())))).toEqual(bill());
  expect(readCallBill(bill(5))).toEqual(bill(5));
});

test.each<[string, unknown, unknown]>([
  ['from a worker of an older version', undefined, { missing: [] }],
  ['from an operator', 'done', { missing: [] }],
  ['in words that are none', { bill: 1, missing: ['t1', 5, '../t2'] }, { missing: ['t1'] }],
])('what became of an answer is read with care: %s', (_, value, kept) => {
  expect(readKeptAnswer(value)).toEqual(kept);
});
