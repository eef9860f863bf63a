import type { StoredEvent } from '../contracts/events.ts';

/** Joined pieces are no longer than this by much: a slow reader is given its backlog bit by bit. */
const MOST_CHARS = 4_000;

const NOTHING_YET = Symbol('nothing yet');

/**
 * Events as they come, but pieces of one part that are there together as one: a reader who comes back to a long run is given few
 * chunks and not thousands. A piece that comes live is not held back. Ends and breaks as `events` does.
 */
export async function* joinPieces(
  events: AsyncIterable<StoredEvent> | Iterable<StoredEvent>,
): AsyncGenerator<StoredEvent, void> {
  const source = iterate(events);
  let held: StoredEvent | undefined;
  let coming = source.next();
  try {
    for (;;) {
      const next = await (held ? Promise.race([coming, untilIdle()]) : coming);
      if (next === NOTHING_YET || next.done) {
        if (held) yield held;
        if (next !== NOTHING_YET) return;
        held = undefined;
        continue;
      }
      const joined = held && join(held, next.value);
      if (held && !joined) yield held;
      held = joined ?? next.value;
      coming = source.next();
    }
  } finally {
    await source.return(undefined);
  }
}

async function* iterate<T>(values: AsyncIterable<T> | Iterable<T>): AsyncGenerator<T, void> {
  yield* values;
}

/** By then everything that was there has come. */
const untilIdle = (): Promise<typeof NOTHING_YET> =>
  new Promise((resolve) => setTimeout(() => resolve(NOTHING_YET), 0));

/** Undefined where the two are not one. */
function join(one: StoredEvent, next: StoredEvent): StoredEvent | undefined {
  if (one.type !== 'piece' || next.type !== 'piece' || one.delta.length >= MOST_CHARS) return undefined;
  const isOne = one.call === next.call && one.stream === next.stream && one.of === next.of && one.part === next.part;
  return isOne ? { ...next, delta: one.delta + next.delta } : undefined;
}
