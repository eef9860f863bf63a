import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { backoffCeilingMs, backoffWaitMs, MODEL_BACKOFF, retryWaitMs, TOOL_BACKOFF } from '../../src/policy/backoff.ts';
import type { Jitter } from '../../src/contracts/backoff.ts';
import { durationMs } from '../../src/policy/duration-ms.ts';
import { readHeaderWait } from '../../src/policy/asked-wait.ts';
import { BREAKER_RULE } from '../../src/policy/circuit-breaker.ts';
import { parkWaitMs } from '../../src/policy/park-wait.ts';

describe('the wait before a retry', () => {
  test('is never 0, and never above its ceiling when nobody asked for one', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 60 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (retry, dice) => {
          for (const backoff of [MODEL_BACKOFF, TOOL_BACKOFF]) {
            const waitMs = retryWaitMs(backoff, retry, undefined, dice);
            expect(waitMs).toBeGreaterThanOrEqual(1);
            expect(waitMs).toBeLessThanOrEqual(backoff.maxMs);
          }
        },
      ),
    );
  });

  test('200 callers failing together wait more than 150 different times', () => {
    const waits = new Set(Array.from({ length: 200 }, () => retryWaitMs(MODEL_BACKOFF, 2, undefined, Math.random())));
    expect(waits.size).toBeGreaterThan(150);
  });

  test('200 calls that are parked together come back at more than 150 different times, none before it was told', () => {
    const waits = Array.from({ length: 200 }, () =>
      parkWaitMs({ waitMs: 20_000, spreadMs: BREAKER_RULE.spreadMs }, Math.random()),
    );
    expect(new Set(waits).size).toBeGreaterThan(150);
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(20_000);
    expect(Math.max(...waits)).toBeLessThanOrEqual(20_000 + BREAKER_RULE.spreadMs);
  });

  test.each([
    [1, 1_000],
    [2, 2_000],
    [5, 16_000],
    [6, 30_000],
    [50, 30_000],
  ])('retry %i of a model waits at most %i ms', (retry, ceiling) => {
    expect(backoffCeilingMs(MODEL_BACKOFF, retry)).toBe(ceiling);
  });

  test.each<[Jitter, number, number]>([
    ['full', 0, 4_000],
    ['equal', 2_000, 4_000],
    ['decorrelated', 1_000, 6_000],
    ['fixed', 1_000, 1_000],
  ])('%s jitter before retry 3, after a wait of 2 s, lies between %i and %i ms', (jitter, lowest, highest) => {
    const backoff = { baseMs: 1_000, maxMs: 30_000, growth: 2, jitter };
    expect(backoffWaitMs(backoff, { retry: 3, dice: 0, previousMs: 2_000 })).toBe(lowest);
    expect(backoffWaitMs(backoff, { retry: 3, dice: 1, previousMs: 2_000 })).toBe(highest);
  });

  test('whatever the jitter, growth and retry, it lies between 1 ms and its ceiling, which the maximum bounds', () => {
    fc.assert(
      fc.property(
        fc.record({
          baseMs: fc.integer({ min: 1, max: 5_000 }),
          maxMs: fc.integer({ min: 5_000, max: 60_000 }),
          growth: fc.double({ min: 1, max: 4, noNaN: true }),
          jitter: fc.constantFrom<Jitter>('full', 'equal', 'decorrelated', 'fixed'),
        }),
        fc.integer({ min: 1, max: 60 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (backoff, retry, dice) => {
          const waitMs = retryWaitMs(backoff, retry, undefined, dice);
          expect(waitMs).toBeGreaterThanOrEqual(1);
          expect(waitMs).toBeLessThanOrEqual(Math.max(1, Math.round(backoffCeilingMs(backoff, retry))));
          expect(backoffCeilingMs(backoff, retry)).toBeLessThanOrEqual(backoff.maxMs);
        },
      ),
    );
  });

  test('decorrelated waits grow with the retries even where the wait before is not known', () => {
    const backoff = { baseMs: 1_000, maxMs: 30_000, growth: 2, jitter: 'decorrelated' } as const;
    const waits = [1, 2, 3, 4, 9].map((retry) => retryWaitMs(backoff, retry, undefined, 0.5));
    expect(waits).toEqual([2_000, 2_000, 3_500, 6_500, 30_000]);
  });

  test('what the server asked replaces ours, plus up to 10 %; nothing readable is none', () => {
    expect(retryWaitMs(TOOL_BACKOFF, 1, 3_000, 0)).toBe(3_000);
    expect(retryWaitMs(TOOL_BACKOFF, 1, 3_000, 0.999)).toBeLessThanOrEqual(3_300);
    for (const asked of [0, -5, Number.NaN]) expect(retryWaitMs(TOOL_BACKOFF, 1, asked, 0.5)).toBe(250);
  });
});

describe('Retry-After', () => {
  const NOW = Date.parse('2026-11-30T10:00:00Z');
  test.each<[string, Record<string, string>, number | undefined]>([
    ['seconds', { 'retry-after': '3' }, 3_000],
    ['a fraction', { 'retry-after': '0.5' }, 500],
    ['milliseconds', { 'retry-after-ms': '250', 'retry-after': '9' }, 250],
    ['a date', { 'retry-after': 'Mon, 30 Nov 2026 10:00:05 GMT' }, 5_000],
    [
      'a date, by the clock of the answer',
      { 'retry-after': 'Mon, 30 Nov 2026 10:00:05 GMT', date: 'Mon, 30 Nov 2026 10:00:03 GMT' },
      2_000,
    ],
    ['a date that has passed', { 'retry-after': 'Mon, 30 Nov 2026 09:00:00 GMT' }, undefined],
    ['zero', { 'retry-after': '0' }, undefined],
    ['a negative number', { 'retry-after': '-1' }, undefined],
    ['words', { 'retry-after': 'soon' }, undefined],
    ['a timestamp, which is 57 years of seconds', { 'retry-after': '1796032800' }, 2_592_000_000],
    ['nothing', {}, undefined],
  ])('%s', (_, headers, waitMs) => {
    expect(readHeaderWait((name) => headers[name] ?? null, NOW)?.ms).toBe(waitMs);
  });
});

describe('a duration', () => {
  test.each([
    ['250ms', 250],
    ['30s', 30_000],
    ['1.5s', 1_500],
    ['10m', 600_000],
    ['20h', 72_000_000],
    ['7d', 604_800_000],
    [5, 5],
  ] as const)('%s is %i ms', (duration, ms) => {
    expect(durationMs(duration, 'x')).toBe(ms);
  });

  test.each(['', '30', 's', '-1s', '1 year', 'NaNs', '1e3s', 0, Number.NaN, undefined, null, {}])(
    '%p is refused',
    (duration) => {
      expect(() => durationMs(duration as '1s', 'Tool "x": timeout')).toThrow('Tool "x": timeout is');
    },
  );
});
