import type { EventStore } from '../contracts/event-store.ts';
import type { StoredEvent } from '../contracts/events.ts';

/** How the server lists the run; undefined while it cannot be asked. Rejects when it knows no such run. */
export type LookAtRun = () => Promise<{ readonly isOver: boolean; readonly startedAt: number } | undefined>;

type Piece = Extract<StoredEvent, { type: 'piece' }>;

/** The offset after which a watcher begins who asks for `from`. @throws RangeError when that is no whole number. */
export async function findStart(
  events: EventStore,
  run: string,
  from: number | undefined,
  look: LookAtRun,
): Promise<number> {
  if (from !== undefined && !Number.isSafeInteger(from)) {
    throw new RangeError(
      `Cannot watch from ${from}: give an event's offset, or a whole number below 0 for the last ones.`,
    );
  }
  if (from === undefined) return beginOfRun(events, run, look);
  const head = await events.head(run);
  if (from >= 0) return from > head ? 0 : from;
  const start = Math.max(await beginOfRun(events, run, look), head + from);
  const next = (await events.read(run, start)).find((event) => event.type === 'piece');
  return next && next.seq > 1 ? Math.min(start, await beginOfStream(events, run, next)) : start;
}

/** Behind which offset the current run under this id begins: it may have been used before. */
async function beginOfRun(events: EventStore, run: string, look: LookAtRun): Promise<number> {
  const [started, ended] = await Promise.all([events.newest(run, 'run-started'), events.newest(run, 'run-ended')]);
  const last = (started?.offset ?? 1) - 1;
  if (!ended || ended.offset < last) return last;
  // Started anew, and not heard yet.
  const row = await look().catch(() => undefined);
  return row && !row.isOver && row.startedAt > ended.at ? ended.offset : last;
}

const WINDOW = 1_000;

/** Behind which offset the stream of this piece begins. */
async function beginOfStream(events: EventStore, run: string, piece: Piece): Promise<number> {
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
