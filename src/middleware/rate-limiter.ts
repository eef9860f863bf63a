import type { Clock } from '../contracts/clock.ts';
import type { RateLimiter } from '../contracts/shared-limits.ts';
import { FULL_BUCKET, takeToken, tokenWaitMs, type RateRule } from '../policy/token-bucket.ts';
import { orAborted } from './or-aborted.ts';

/**
 * A token bucket in this process, for everybody it is given to. Who waits stands in line.
 * @throws RangeError for a rule that allows nothing.
 */
export function createRateLimiter(rule: RateRule, clock: Clock): RateLimiter {
  refuseBadRule(rule);
  let bucket = FULL_BUCKET;
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  /** From when on the next that is sent away may come back. */
  let promised = 0;
  return {
    tryTake() {
      const now = clock.now();
      const waitMs = tokenWaitMs(bucket, now, rule) + waiting * rule.intervalMs;
      if (waitMs === 0) {
        bucket = takeToken(bucket, now, rule);
        return 0;
      }
      // Each comes back at a time of its own: all at once, all but one would come in vain.
      const at = Math.max(now + waitMs, promised);
      promised = at + rule.intervalMs;
      return at - now;
    },
    async take(signal) {
      signal.throwIfAborted();
      waiting += 1;
      const ahead = last;
      const { promise, resolve: leaveLine } = Promise.withResolvers<undefined>();
      last = promise;
      try {
        await orAborted(ahead, signal);
        for (let waitMs = tokenWaitMs(bucket, clock.now(), rule); waitMs > 0;) {
          await clock.wait(waitMs, signal);
          waitMs = tokenWaitMs(bucket, clock.now(), rule);
        }
        bucket = takeToken(bucket, clock.now(), rule);
      } finally {
        waiting -= 1;
        // Whoever leaves early leaves the order of the others as it was.
        void ahead.then(() => leaveLine(undefined));
      }
    },
  };
}

function refuseBadRule({ intervalMs, burst }: RateRule): void {
  if (!(intervalMs >= 0 && Number.isFinite(intervalMs))) {
    throw new RangeError(
      `A rate limit's intervalMs is ${intervalMs}: give milliseconds per request, or 0 for no limit.`,
    );
  }
  if (!Number.isInteger(burst) || burst < 1) {
    throw new RangeError(`A rate limit's burst is ${burst}: give a whole number of requests, at least 1.`);
  }
}
