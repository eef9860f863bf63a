import { workerEvents } from '../contracts/events.ts';
import type { LimitSnapshot } from '../contracts/shared-limits.ts';
import type { ClientParts } from './client-parts.ts';
import { livePollers } from './has-worker.ts';

/** How the breakers of one live worker stood when one of them last changed. */
export interface WorkerLimits {
  /** As the server knows it: `pid@host`. */
  readonly worker: string;
  /** Epoch milliseconds. Undefined: it has said nothing where this client looks. */
  readonly at: number | undefined;
  readonly limits: readonly LimitSnapshot[];
}

/** The limits of every worker that polls the client's task queue. */
export async function readLimits(parts: ClientParts): Promise<readonly WorkerLimits[]> {
  const workers = [...new Set(await livePollers(parts))].sort();
  return Promise.all(
    workers.map(async (worker) => {
      const event = await parts.events.newest(workerEvents(worker), 'limits-changed');
      return event?.type === 'limits-changed'
        ? { worker, at: event.at, limits: event.limits }
        : { worker, at: undefined, limits: [] };
    }),
  );
}
