import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { EventStore } from '../../src/contracts/event-store.ts';
import type { StoredEvent } from '../../src/contracts/events.ts';
import { openEvents } from '../../src/stores/open-stores.ts';
import { eventually } from '../support/eventually.ts';
import { useChildren } from './child.ts';
import type { StorePlace } from './store-folder.ts';

/** The part of the contract that needs several processes. */
export function eventsProcessesContract(name: string, makePlace: () => Promise<StorePlace>): void {
  describe(`${name} as an event store of several processes`, () => {
    const start = useChildren();
    let place: StorePlace;
    let events: EventStore;

    beforeEach(async () => {
      place = await makePlace();
      events = openEvents(place.address);
    });

    afterEach(async () => {
      await events.close();
      await place.remove();
    });

    test('several append to one run without a gap and without tearing a batch, while it is read', async () => {
      const writers = ['a', 'b', 'c'].map((writer) => start('append-events', [place.address, 'run', writer, '20']));
      await Promise.all(writers.map((child) => child.hear()));
      for (const child of writers) child.say('go');

      const seen: StoredEvent[] = [];
      while (seen.length < 120) seen.push(...(await events.read('run', seen.length, { limit: 7 })));

      expect(seen.map((event) => event.offset)).toEqual(seen.map((_, index) => index + 1));
      const pairs = seen.filter((_, index) => index % 2 === 0).map((event, index) => [event, seen[index * 2 + 1]]);
      for (const [first, second] of pairs) expect({ ...first, turn: 2, offset: 0 }).toEqual({ ...second, offset: 0 });
    });

    test('of several attempts that answer at once, one at a time is heard, and the others fall silent', async () => {
      const attempts = ['1', '2', '3', '4', '5'];
      const writers = attempts.map((attempt) => start('stream-pieces', [place.address, 'run', attempt]));
      await Promise.all(writers.map((child) => child.hear()));
      for (const child of writers) child.say('go');
      await Promise.all(writers.map((child) => child.hear()));
      const ends: unknown[] = [];
      const ending = writers.map(async (child) => ends.push(await child.hear()));
      await eventually('all but one to fall silent', () => ends.length === writers.length - 1);
      for (const child of writers) child.say('stop');
      await Promise.all(ending);

      const stored = await readAll(events, 'run');
      expect(stored.map((event) => event.offset)).toEqual(stored.map((_, index) => index + 1));
      const streams = stored.map((event) => (event.type === 'piece' || event.type === 'reset' ? event.stream : 0));
      expect(streams).toEqual(streams.toSorted((a, b) => a - b));
      expect([...new Set(streams)]).toEqual(attempts.map(Number));
      const last = stored.at(-1);
      expect(ends.filter((end) => end !== 'silenced')).toEqual([`wrote ${last?.type === 'piece' && last.delta}`]);
      for (const stream of attempts.map(Number)) expectWhole(stored.filter((_, index) => streams[index] === stream));
    });
  });
}

async function readAll(events: EventStore, run: string): Promise<readonly StoredEvent[]> {
  const all: StoredEvent[] = [];
  for (;;) {
    const batch = await events.read(run, all.length);
    if (batch.length === 0) return all;
    all.push(...batch);
  }
}

/** A stream is its reset and then all of one attempt's pieces, each once. */
function expectWhole(stream: readonly StoredEvent[]): void {
  const [first, ...pieces] = stream;
  expect(first?.type).toBe('reset');
  expect(pieces.map((event) => event.type === 'piece' && event.delta)).toEqual(
    pieces.map((_, index) => String(index + 1)),
  );
  expect(new Set(stream.map((event) => 'attempt' in event && event.attempt)).size).toBe(1);
}
