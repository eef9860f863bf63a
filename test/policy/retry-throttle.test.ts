import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  allowsRetry,
  drainThrottle,
  fullThrottle,
  refillThrottle,
  RETRY_THROTTLE,
} from '../../src/policy/retry-throttle.ts';

describe('the retry throttle', () => {
  test('allows exactly 4 retries in all in a full outage that meets a full bucket', () => {
    let throttle = fullThrottle();
    let retries = 0;
    for (let call = 0; call < 100; call++) {
      // Each call fails, and each of its retries, until the throttle says no.
      throttle = drainThrottle(throttle);
      while (allowsRetry(throttle)) {
        retries += 1;
        throttle = drainThrottle(throttle);
      }
    }
    expect(retries).toBe(4);
    expect(throttle).toBe(0);
  });

  test('takes 51 successes from empty until it allows a retry again', () => {
    let throttle = 0;
    let successes = 0;
    while (!allowsRetry(throttle)) {
      throttle = refillThrottle(throttle);
      successes += 1;
    }
    expect(successes).toBe(51);
  });

  test('holds whole milli-tokens between empty and full, whatever happens', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 500 }), (outcomes) => {
        const throttle = outcomes.reduce((now, ok) => (ok ? refillThrottle(now) : drainThrottle(now)), fullThrottle());
        expect(Number.isInteger(throttle)).toBe(true);
        expect(throttle).toBeGreaterThanOrEqual(0);
        expect(throttle).toBeLessThanOrEqual(RETRY_THROTTLE.maxMilliTokens);
      }),
    );
  });

  test('stands still when one in eleven fails: ten successes pay for one failure', () => {
    const round = (throttle: number) =>
      Array.from({ length: 10 }).reduce<number>((now) => refillThrottle(now), drainThrottle(throttle));
    expect(round(7_000)).toBe(7_000);
  });
});
