import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { FRESH_TALLY, type RetryBudget } from '../../src/contracts/retry-budget.ts';
import { MODEL_BACKOFF, retryWaitMs } from '../../src/policy/backoff.ts';
import { MODEL_TIMES } from '../../src/policy/model-times.ts';
import { RETRY_BUDGET, takeBack, tallyAttempt, tallyWait, whyNoRetry } from '../../src/policy/spend-retries.ts';
import { seededDice } from '../../src/testing/seeded-dice.ts';

const LIMITS = { attempts: 5, totalMs: MODEL_TIMES.totalMs, budget: RETRY_BUDGET };
const own = (waitMs: number) => ({ waitMs, isAsked: false });
const asked = (waitMs: number) => ({ waitMs, isAsked: true });

describe('what a call has used', () => {
  test('its first attempt is no repetition; every other is, with its time', () => {
    const one = tallyAttempt(FRESH_TALLY, 300);
    expect(one).toEqual({ sent: 1, used: { retries: 0, ms: 0 }, spentMs: 300, parked: false });
    expect(tallyAttempt(one, 200)).toEqual({ sent: 2, used: { retries: 1, ms: 200 }, spentMs: 500, parked: false });
  });

  test('our own waits are repeating, and those a server asked for only take time', () => {
    const one = tallyAttempt(FRESH_TALLY, 0);
    expect(tallyWait(one, own(700))).toMatchObject({ used: { retries: 0, ms: 700 }, spentMs: 700 });
    expect(tallyWait(one, asked(700))).toMatchObject({ used: { retries: 0, ms: 0 }, spentMs: 700 });
  });

  test('an attempt that sent something ends a park', () => {
    expect(tallyAttempt({ ...FRESH_TALLY, parked: true }, 1)).toMatchObject({ sent: 1, parked: false });
  });
});

describe('a call is not repeated', () => {
  const tally = { sent: 3, used: { retries: 2, ms: 1_000 }, spentMs: 5_000, parked: false };

  test.each([
    ['with attempts, time and budget left: it is', tally, own(1_000), undefined],
    ['after its last attempt', { ...tally, sent: 5 }, own(1_000), 'attempts'],
    ['when its time would be over by then', { ...tally, spentMs: 899_000 }, own(1_000), 'time'],
    ['also where the server asks for the wait', { ...tally, spentMs: 899_000 }, asked(1_000), 'time'],
    ['when the run may repeat nothing more', { ...tally, used: { retries: 12, ms: 0 } }, own(1), 'budget'],
    ['also where the server asks for the wait', { ...tally, used: { retries: 12, ms: 0 } }, asked(1), 'budget'],
    ['when our wait is longer than what is left', { ...tally, used: { retries: 2, ms: 44_500 } }, own(501), 'budget'],
    [
      'which a wait that was asked for is not',
      { ...tally, used: { retries: 2, ms: 44_500 } },
      asked(50_000),
      undefined,
    ],
  ] as const)('%s', (_, used, wait, why) => {
    expect(whyNoRetry(used, wait, LIMITS)).toBe(why);
  });
});

describe('a run’s budget', () => {
  test('is what is left, and a tenth of a retry and 0.4 s more after a success, never above the start', () => {
    const start = RETRY_BUDGET;
    const left = { retries: 10, ms: 40_000 };
    const used = { retries: 3, ms: 5_000 };
    expect(takeBack(left, used, { start, succeeded: false })).toEqual({ retries: 7, ms: 35_000 });
    expect(takeBack(left, used, { start, succeeded: true })).toEqual({ retries: 7.1, ms: 35_400 });
    expect(takeBack(start, { retries: 0, ms: 0 }, { start, succeeded: true })).toEqual(start);
    expect(takeBack(left, { retries: 99, ms: 99_000 }, { start, succeeded: false })).toEqual({ retries: 0, ms: 0 });
  });

  /** One run after another call, each repeated while it may be; a call that never succeeds ends nothing but itself. */
  function playRun({ calls, failsAt, tookMs, seed }: Story) {
    const dice = seededDice(seed);
    let budget: RetryBudget = RETRY_BUDGET;
    const total = { retries: 0, ms: 0, successes: 0 };
    for (let call = 0; call < calls; call++) {
      let tally = FRESH_TALLY;
      let succeeded = false;
      for (;;) {
        tally = tallyAttempt(tally, tookMs);
        if (dice() >= failsAt) {
          succeeded = true;
          break;
        }
        const wait = own(retryWaitMs(MODEL_BACKOFF, tally.sent, undefined, dice()));
        if (whyNoRetry(tally, wait, { ...LIMITS, budget }) !== undefined) break;
        tally = tallyWait(tally, wait);
      }
      budget = takeBack(budget, tally.used, { start: RETRY_BUDGET, succeeded });
      total.retries += tally.used.retries;
      total.ms += tally.used.ms;
      total.successes += succeeded ? 1 : 0;
    }
    return total;
  }

  interface Story {
    readonly calls: number;
    readonly failsAt: number;
    readonly tookMs: number;
    readonly seed: number;
  }

  test('in a total outage no run repeats more than 12 times or for longer than 45 s and its last attempt (N9)', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 300 }), fc.nat(10_000), fc.integer(), (calls, tookMs, seed) => {
        const { retries, ms } = playRun({ calls, failsAt: 1, tookMs, seed });
        expect(retries).toBeLessThanOrEqual(12);
        expect(ms).toBeLessThanOrEqual(45_000 + tookMs);
      }),
    );
  });

  test('however often calls fail, 1,000 of them are repeated no more than 12 times and once for ten that succeed (N9)', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, noNaN: true }), fc.integer(), (failsAt, seed) => {
        const { retries, successes } = playRun({ calls: 1_000, failsAt, tookMs: 50, seed });
        expect(retries).toBeLessThanOrEqual(12 + successes / 10);
      }),
      { numRuns: 30 },
    );
  });
});
