/**
 * When most attempts fail, nobody repeats: the rule of gRPC's proposal A6, whose numbers these are. Milli-tokens are whole
 * numbers, so that ten times 0.1 is 1.
 */
export interface ThrottleRule {
  /** A full bucket, and how it begins. */
  readonly maxMilliTokens: number;
  readonly failureCosts: number;
  readonly successGives: number;
  /** Retries and hedges need more than this. */
  readonly floorMilliTokens: number;
}

export const RETRY_THROTTLE: ThrottleRule = Object.freeze({
  maxMilliTokens: 10_000,
  failureCosts: 1_000,
  successGives: 100,
  floorMilliTokens: 5_000,
});

/** The bucket: milli-tokens, from 0 to the rule's maximum. */
export type RetryThrottle = number;

export const fullThrottle = (rule: ThrottleRule = RETRY_THROTTLE): RetryThrottle => rule.maxMilliTokens;

export function drainThrottle(throttle: RetryThrottle, rule: ThrottleRule = RETRY_THROTTLE): RetryThrottle {
  return Math.max(0, throttle - rule.failureCosts);
}

export function refillThrottle(throttle: RetryThrottle, rule: ThrottleRule = RETRY_THROTTLE): RetryThrottle {
  return Math.min(rule.maxMilliTokens, throttle + rule.successGives);
}

/** Only repetitions ask: first attempts, and calls that leave a park, are never throttled. */
export function allowsRetry(throttle: RetryThrottle, rule: ThrottleRule = RETRY_THROTTLE): boolean {
  return throttle > rule.floorMilliTokens;
}
