import type { EventStore, ReadOptions } from '../contracts/event-store.ts';
import type { StoredEvent } from '../contracts/events.ts';

/** Everything that stands under a name, in order: a store gives it in batches. */
export async function readToEnd(
  events: Pick<EventStore, 'read'>,
  name: string,
  options: ReadOptions = {},
): Promise<readonly StoredEvent[]> {
  const all: StoredEvent[] = [];
  for (;;) {
    const batch = await events.read(name, all.at(-1)?.offset ?? 0, options);
    if (batch.length === 0) return all;
    all.push(...batch);
  }
}
