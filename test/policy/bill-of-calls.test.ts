import { describe, expect, test } from '@jest/globals';
import { billOfCall, billOfRun } from '../../src/policy/bill-of-calls.ts';
import { modelAttempt, PRICES, started, toolAttempt, UNKNOWN, used } from './cost-events.ts';

const cut = { outcome: 'cut', usage: UNKNOWN } as const;
const routed = { account: 'openrouter', model: 'v/m', responseId: 'gen-1', inputChars: 4 };

const events = [
  started(),
  ...modelAttempt({ outcome: 'failure', requests: [{ ...routed, end: { ...cut, responseId: 'gen-1' } }] }),
  ...modelAttempt({ attempt: 2 }),
  ...toolAttempt(1, [1, 2]),
  ...modelAttempt({ turn: 2, requests: [{ end: { usage: used(200, 10) } }] }),
  ...modelAttempt({ turn: 3, outcome: 'failure', requests: [{ end: { ...cut, billed: 'no' } }] }),
];

describe('the bill', () => {
  test('of a call has all of its attempts, and says that a provider can be asked for more', () => {
    expect(billOfCall('t1', { events, prices: PRICES })).toMatchObject({
      answer: { micros: 450, requests: 1, unknown: 0 },
      spend: { micros: 450, requests: 2, unknown: 1 },
      unmetered: 1,
      isMissing: true,
    });
  });

  test('of a call of which all is known asks nobody', () => {
    expect(billOfCall('t2', { events, prices: PRICES })).toMatchObject({
      spend: { micros: 750, requests: 1 },
      unmetered: 0,
      isMissing: false,
    });
  });

  test('of a call that was refused is nothing, and nothing of it is unmetered', () => {
    expect(billOfCall('t3', { events, prices: PRICES })).toMatchObject({
      answer: { requests: 0 },
      spend: { micros: 0, unknown: 0 },
      unmetered: 0,
    });
  });

  test('of a call that is not on record is not known, which is not nothing', () => {
    expect(billOfCall('t9', { events, prices: PRICES })).toBeUndefined();
  });

  test('of a run has all of its calls, and names those of which something is missing', () => {
    expect(billOfRun({ events, prices: PRICES })).toMatchObject({
      bill: { answer: { micros: 1_200 }, spend: { micros: 1_200, requests: 4, unknown: 1 }, unmetered: 1 },
      missing: ['t1'],
    });
  });
});
