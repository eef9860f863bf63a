import type { LimitKey, LimitSnapshot, LimitTransition } from '../contracts/shared-limits.ts';
import type { LimitRule, LimitState } from './admit-attempt.ts';
import { allowsRetry } from './retry-throttle.ts';

/** What people see of a key. */
export function describeLimits(
  key: LimitKey,
  { circuit, throttle }: LimitState,
  now: number,
  rule: LimitRule,
): LimitSnapshot {
  return {
    key,
    circuit: circuit.is,
    failures: circuit.is === 'closed' ? circuit.failures : 0,
    probeInMs: circuit.is === 'open' ? Math.max(0, circuit.probeAt - now) : 0,
    spreadMs: rule.breaker.spreadMs,
    milliTokens: throttle,
    retriesAllowed: circuit.is === 'closed' && allowsRetry(throttle, rule.throttle),
  };
}

/** What changed between two states, as far as it is worth a log line. */
export function transitionsOf(
  key: LimitKey,
  before: LimitState,
  after: LimitState,
  { throttle: rule }: LimitRule,
): readonly LimitTransition[] {
  const from = before.circuit.is;
  const to = after.circuit.is;
  const retriesAllowed = allowsRetry(after.throttle, rule);
  return [
    ...(from === to ? [] : [{ what: 'circuit', key, from, to } as const]),
    ...(allowsRetry(before.throttle, rule) === retriesAllowed
      ? []
      : [{ what: 'throttle', key, retriesAllowed } as const]),
  ];
}
