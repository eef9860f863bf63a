import type { BreakerSettings } from '../contracts/agent.ts';
import { LIMIT_RULE, type LimitRule } from './admit-attempt.ts';
import { durationMs } from './duration-ms.ts';

/** The rule of a worker's limits, from its configuration. */
export function limitRule({ failures, pause, spread }: BreakerSettings = {}): LimitRule {
  const { breaker, throttle } = LIMIT_RULE;
  return {
    throttle,
    breaker: {
      ...breaker,
      ...(failures !== undefined && { failures }),
      ...(pause !== undefined && { pauseMs: durationMs(pause, 'breaker.pause') }),
      ...(spread !== undefined && { spreadMs: durationMs(spread, 'breaker.spread') }),
    },
  };
}
