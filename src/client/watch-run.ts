import { setTimeout as sleep } from 'node:timers/promises';
import type { EventStore } from '../contracts/event-store.ts';
import type { StoredEvent } from '../contracts/events.ts';
import type { ClientParts } from './client-parts.ts';
import { findStart, type LookAtRun } from './find-start.ts';

export interface WatchOptions {
  /**
   * The offset after which to begin: the last one seen goes on exactly there. Default: where the run under this id that is the current
   * one began. Below 0: about so many of the last events, from the beginning of the reply they fall into, so that no reply is seen
   * without its first words. Beyond the end, as after the store was lost: from the beginning.
   */
  readonly from?: number;
  /** Ends it. */
  readonly signal?: AbortSignal;
}

/**
 * The run's events from an offset on, as they come, until it has ended; nothing is kept for a reader that is slow. `look` is called
 * now and then while no event comes, for runs that were ended from outside and never said so; nobody waits for its answer.
 */
export async function* watchRun(
  { events }: Pick<ClientParts, 'events'>,
  run: string,
  { from, signal = new AbortController().signal }: WatchOptions,
  look: LookAtRun,
): AsyncGenerator<StoredEvent> {
  let after = await findStart(events, run, from, look);
  while (!signal.aborted) {
    const batch = await events.read(run, after);
    for (const event of batch) {
      yield event;
      after = event.offset;
      if (event.type === 'run-ended' && (await events.head(run)) <= after) return;
    }
    if (batch.length > 0) continue;
    const news = await nextNews(events, run, { after, signal, look });
    if (news === 'over') return;
    if (news === 'lost') after = 0;
  }
}

interface Waiting {
  readonly after: number;
  readonly signal: AbortSignal;
  readonly look: LookAtRun;
}

/** `event`: there is one, or the signal has fired. `lost`: the store was begun anew. */
type News = 'event' | 'over' | 'lost';

async function nextNews(events: EventStore, run: string, { after, signal, look }: Waiting): Promise<News> {
  const heard = new AbortController();
  const either = AbortSignal.any([signal, heard.signal]);
  try {
    return await Promise.race([
      events.untilAfter(run, after, either).then(() => 'event' as const),
      lookOut(events, run, { after, signal: either, look }),
    ]);
  } finally {
    heard.abort();
  }
}

/** How long nothing comes before the server is asked, which costs a request; the longest after many times. */
const QUIET_MS = { first: 2_000, most: 30_000 };

/** Resolves only when there is something to say. */
async function lookOut(events: EventStore, run: string, { after, signal, look }: Waiting): Promise<'over' | 'lost'> {
  for (let quietMs = QUIET_MS.first; ; quietMs = Math.min(QUIET_MS.most, 2 * quietMs)) {
    try {
      await sleep(quietMs, undefined, { signal });
    } catch {
      return new Promise(() => undefined);
    }
    const row = await look();
    const head = await events.head(run);
    if (head < after) return 'lost';
    if (row?.isOver && head === after) return 'over';
  }
}
