import { Runtime } from '@temporalio/worker';
import type { LimitTransition } from '../contracts/shared-limits.ts';

/** Counts changes of breakers and throttles where the process's other metrics are: `holdfast_breaker_transitions`. */
export function countTransition(): (transition: LimitTransition) => void {
  const counter = Runtime.instance().metricMeter.createCounter(
    'holdfast_breaker_transitions',
    'transition',
    'Changes of circuit breakers and retry throttles',
  );
  return (transition) => {
    const { what, key } = transition;
    const to = transition.what === 'circuit' ? transition.to : transition.retriesAllowed ? 'allowed' : 'throttled';
    counter.add(1, { what, key, to });
  };
}
