import type { StoredEvent } from '../contracts/events.ts';
import type { ClientParts } from './client-parts.ts';

const LOOK_MS = 250;

/**
 * The run's events from an offset on, as they come, until it has ended. Resumable: begin again after the last offset seen.
 * `isOver` is asked when no event has come, for runs that were ended from outside and never said so. `signal` ends it.
 */
export async function* watchRun(
  { events }: Pick<ClientParts, 'events'>,
  run: string,
  from: number,
  isOver: () => Promise<boolean>,
  signal?: AbortSignal,
): AsyncGenerator<StoredEvent> {
  let after = from;
  for (let quiet = 0; !signal?.aborted; quiet++) {
    const batch = await events.read(run, after);
    for (const event of batch) {
      yield event;
      after = event.offset;
      quiet = 0;
      if (event.type === 'run-ended') return;
    }
    if (batch.length > 0) continue;
    // Asked now and then only: it costs a request to the server.
    if (quiet % 8 === 7 && (await isOver()) && (await events.read(run, after)).length === 0) return;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}
