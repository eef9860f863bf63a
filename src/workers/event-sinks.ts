import type { InjectedSinks, Logger } from '@temporalio/worker';
import type { HoldfastSinks } from '../workflows/proxies.ts';
import type { WorkerStores } from './open-worker-stores.ts';

/** Where a run's events for watchers go. A store that is away costs the event, never the run. */
export function eventSinks({ events }: Pick<WorkerStores, 'events'>, logger: Logger): InjectedSinks<HoldfastSinks> {
  return {
    holdfast: {
      event: {
        callDuringReplay: false,
        async fn(_info, run, event) {
          try {
            await events.append(run, [event]);
          } catch (error) {
            logger.warn('An event for watchers could not be written.', { run, error: String(error) });
          }
        },
      },
    },
  };
}
