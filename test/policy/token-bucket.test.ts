import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { FULL_BUCKET, takeToken, tokenWaitMs } from '../../src/policy/token-bucket.ts';

describe('the token bucket', () => {
  test('gives a burst at once, then one token an interval, and fills up again', () => {
    const rule = { intervalMs: 100, burst: 3 };
    let bucket = FULL_BUCKET;
    const waits: number[] = [];
    for (const now of [0, 0, 0, 0]) {
      const waitMs = tokenWaitMs(bucket, now, rule);
      waits.push(waitMs);
      bucket = takeToken(bucket, now + waitMs, rule);
    }
    expect(waits).toEqual([0, 0, 0, 100]);
    expect(tokenWaitMs(bucket, 150, rule)).toBe(50);
    expect(
      [400, 400, 400].map((now) => {
        const waitMs = tokenWaitMs(bucket, now, rule);
        bucket = takeToken(bucket, now + waitMs, rule);
        return waitMs;
      }),
    ).toEqual([0, 0, 0]);
  });

  test('without an interval there is no limit', () => {
    const rule = { intervalMs: 0, burst: 1 };
    expect(tokenWaitMs(takeToken(FULL_BUCKET, 5, rule), 5, rule)).toBe(0);
  });

  test('never gives more than the burst and one an interval, in any window', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1_000 }),
        fc.integer({ min: 1, max: 10 }),
        fc.array(fc.nat({ max: 500 }), { minLength: 1, maxLength: 60 }),
        (intervalMs, burst, pauses) => {
          let bucket = FULL_BUCKET;
          let now = 0;
          const taken = pauses.map((pause) => {
            now += pause;
            now += tokenWaitMs(bucket, now, { intervalMs, burst });
            bucket = takeToken(bucket, now, { intervalMs, burst });
            return now;
          });
          for (const [i, from] of taken.entries()) {
            for (const [j, to] of taken.entries()) {
              if (j >= i) expect(j - i + 1).toBeLessThanOrEqual(burst + Math.floor((to - from) / intervalMs));
            }
          }
        },
      ),
    );
  });
});
