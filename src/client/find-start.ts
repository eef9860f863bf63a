import type { EventStore, StoredEvent } from '../contracts/events.ts';

type Piece = Extract<StoredEvent, { type: 'piece' }>;

/**
 * The offset after which a watcher begins who asks for `from`. Below 0 it means about so many of the last events: then it is moved
 * back to where the reply that would be cut begins.
 */
export async function findStart(events: EventStore, run: string, from: number): Promise<number> {
  if (from >= 0) return from;
  const start = Math.max(0, (await events.head(run)) + from);
  const next = (await events.read(run, start)).find((event) => event.type === 'piece');
  return next && next.seq > 1 ? Math.min(start, await beginOf(events, run, next)) : start;
}

const WINDOW = 1_000;

/** Behind which offset the stream of this piece begins. */
async function beginOf(events: EventStore, run: string, piece: Piece): Promise<number> {
  const isOwn = (event: StoredEvent) => event.type === 'piece' && event.stream === piece.stream;
  let first: StoredEvent = piece;
  for (let end = piece.offset - 1; end > 0; end -= WINDOW) {
    const after = Math.max(0, end - WINDOW);
    const earliest = (await events.read(run, after, { limit: end - after })).find(isOwn);
    if (!earliest) break;
    first = earliest;
  }
  return first.offset - 1;
}
