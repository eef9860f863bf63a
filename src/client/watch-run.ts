import type { EventStore, StoredEvent } from '../contracts/events.ts';
import type { ClientParts } from './client-parts.ts';
import { findStart } from './find-start.ts';

/** How long nothing comes before the server is asked whether the run is over: it costs a request. */
const QUIET_MS = 2_000;

export interface WatchOptions {
  /**
   * The offset after which to begin: 0, the default, is the beginning, and the last one seen goes on exactly there. Below 0: about so
   * many of the last ones, from the beginning of the reply they fall into, so that no reply is seen without its first words.
   */
  readonly from?: number;
  /** Ends it. */
  readonly signal?: AbortSignal;
}

/**
 * The run's events from an offset on, as they come, until it has ended; nothing is kept for a reader that is slow. `isOver` is asked
 * now and then when no event comes, for runs that were ended from outside and never said so.
 */
export async function* watchRun(
  { events }: Pick<ClientParts, 'events'>,
  run: string,
  { from = 0, signal }: WatchOptions,
  isOver: () => Promise<boolean>,
): AsyncGenerator<StoredEvent> {
  let after = await findStart(events, run, from);
  while (!signal?.aborted) {
    const batch = await events.read(run, after);
    for (const event of batch) {
      yield event;
      after = event.offset;
      if (event.type === 'run-ended') return;
    }
    if (batch.length > 0 || (await comes(events, run, after, signal))) continue;
    if (!signal?.aborted && (await isOver()) && (await events.head(run)) <= after) return;
  }
}

/** Waits for an event, and not for ever. Returns whether one came. */
async function comes(events: EventStore, run: string, after: number, signal?: AbortSignal): Promise<boolean> {
  const quiet = AbortSignal.timeout(QUIET_MS);
  await events.untilAfter(run, after, signal ? AbortSignal.any([signal, quiet]) : quiet);
  return !quiet.aborted;
}
