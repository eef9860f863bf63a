import type { Logger } from '@temporalio/worker';
import type { EventStore } from '../contracts/event-store.ts';
import { workerEvents } from '../contracts/events.ts';
import type { LimitTransition, SharedLimits } from '../contracts/shared-limits.ts';

export interface LimitPost {
  readonly limits: SharedLimits;
  readonly events: EventStore;
  /** As the server knows the worker. */
  readonly identity: string;
  readonly logger: Logger;
  readonly count: (transition: LimitTransition) => void;
}

/** Several changes at once make one record. */
const GATHER_MS = 100;

/** Logs and counts each change of a breaker or throttle, and keeps how all of them stand where `holdfast breakers` looks. */
export function postLimits({ limits, events, identity, logger, count }: LimitPost): { stop(): void } {
  let due: ReturnType<typeof setTimeout> | undefined;
  const post = async () => {
    due = undefined;
    try {
      const stand = await limits.snapshot();
      await events.append(workerEvents(identity), [{ type: 'limits-changed', at: Date.now(), limits: stand }]);
    } catch (error) {
      logger.warn('How the breakers stand could not be written.', { error: String(error) });
    }
  };
  const stopListening = limits.onTransition((transition) => {
    count(transition);
    logger.warn(sentenceOf(transition), { 'event.name': 'holdfast.breaker.transition', ...transition });
    due ??= setTimeout(() => void post(), GATHER_MS);
  });
  // One that has no breakers yet is told from one that never said.
  void post();
  return {
    stop() {
      stopListening();
      clearTimeout(due);
    },
  };
}

function sentenceOf(transition: LimitTransition): string {
  const { key } = transition;
  if (transition.what === 'throttle') {
    return transition.retriesAllowed ? `${key}: calls are repeated again` : `${key}: nothing is repeated for now`;
  }
  const { from, to } = transition;
  return `${key}: circuit ${from} → ${to}`;
}
