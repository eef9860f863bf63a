import type { Clock } from '../contracts/clock.ts';
import type { LimitKey, LimitSnapshot, LimitTransition, SharedLimits } from '../contracts/shared-limits.ts';
import {
  admitAttempt,
  freshLimits,
  LIMIT_RULE,
  noteAttempt,
  type LimitRule,
  type LimitState,
} from '../policy/admit-attempt.ts';
import { allowsRetry } from '../policy/retry-throttle.ts';
import { describeLimits, transitionsOf } from '../policy/describe-limits.ts';

export interface WorkerLimitsOptions {
  readonly clock: Clock;
  /** The rule of a key. Default: `LIMIT_RULE` for every key. */
  readonly ruleOf?: (key: LimitKey) => LimitRule;
  /** Keys that are remembered. Beyond it the one unused for longest is forgotten, first of those that are at rest. Default 1,000. */
  readonly maxKeys?: number;
}

/** Limits in this process's memory: shared by all agents of a worker, lost with it. */
export function createWorkerLimits({
  clock,
  ruleOf = () => LIMIT_RULE,
  maxKeys = 1_000,
}: WorkerLimitsOptions): SharedLimits {
  /** In the order of last use, the oldest first. */
  const states = new Map<LimitKey, LimitState>();
  const listeners = new Set<(transition: LimitTransition) => void>();
  let ids = 0;
  let epochs = 0;

  // A key that was forgotten begins in an epoch nobody has a ticket of.
  const stateOf = (key: LimitKey) => states.get(key) ?? freshLimits(ruleOf(key), (epochs += 1_000_000));

  function keep(key: LimitKey, before: LimitState, after: LimitState): void {
    states.delete(key);
    states.set(key, after);
    if (states.size > maxKeys) states.delete(chooseForgotten(states, key, ruleOf));
    for (const transition of transitionsOf(key, before, after, ruleOf(key))) tell(listeners, transition);
  }

  return {
    async admit(key, request) {
      const before = stateOf(key);
      const { admission, state } = admitAttempt(before, { ...request, id: ++ids }, clock.now(), ruleOf(key));
      keep(key, before, state);
      return admission;
    },
    async report(key, ticket, report) {
      const before = stateOf(key);
      keep(key, before, noteAttempt(before, { ticket, report }, clock.now(), ruleOf(key)));
    },
    async snapshot(only) {
      const keys = only === undefined ? [...states.keys()] : [only];
      return keys.map((key): LimitSnapshot =>
        describeLimits(key, states.get(key) ?? freshLimits(ruleOf(key)), clock.now(), ruleOf(key)),
      );
    },
    onTransition(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

function chooseForgotten(
  states: ReadonlyMap<LimitKey, LimitState>,
  newest: LimitKey,
  ruleOf: (key: LimitKey) => LimitRule,
): LimitKey {
  let oldest: LimitKey = newest;
  for (const [key, { circuit, throttle }] of states) {
    if (key === newest) continue;
    if (circuit.is === 'closed' && allowsRetry(throttle, ruleOf(key).throttle)) return key;
    if (oldest === newest) oldest = key;
  }
  return oldest;
}

function tell(listeners: ReadonlySet<(transition: LimitTransition) => void>, transition: LimitTransition): void {
  for (const listener of listeners) {
    try {
      listener(transition);
    } catch {
      // A log that fails must not decide whether a model may be asked.
    }
  }
}
