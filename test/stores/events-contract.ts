import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { EventStore, RunEvent } from '../../src/contracts/events.ts';
import { openEvents } from '../../src/stores/open-stores.ts';
import { anyText } from './arbitraries.ts';
import { useChildren } from './child.ts';
import type { StorePlace } from './store-folder.ts';

const said = (text: string): RunEvent => ({ type: 'said', at: 1_764_460_000_000, turn: 1, text });

/** What every event store must do, whatever holds its events. `makePlace` gives an address at which there is nothing yet. */
export function eventsContract(name: string, makePlace: () => Promise<StorePlace>): void {
  describe(`${name} as an event store`, () => {
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

    test('offsets run 1, 2, 3 within a run, and the last one is answered', async () => {
      expect(await events.append('a', [said('one'), said('two')])).toBe(2);
      expect(await events.append('b', [said('other')])).toBe(1);
      expect(await events.append('a', [said('three')])).toBe(3);

      expect(await events.read('a', 0)).toStrictEqual([
        { ...said('one'), offset: 1 },
        { ...said('two'), offset: 2 },
        { ...said('three'), offset: 3 },
      ]);
    });

    test('appending nothing answers where the run stands', async () => {
      expect(await events.append('a', [])).toBe(0);
      await events.append('a', [said('one')]);
      expect(await events.append('a', [])).toBe(1);
    });

    test('reads after an offset, at most `limit`, the oldest first', async () => {
      await events.append('a', ['one', 'two', 'three', 'four'].map(said));

      expect((await events.read('a', 1, { limit: 2 })).map((event) => event.offset)).toEqual([2, 3]);
      expect(await events.read('a', 4)).toEqual([]);
      expect(await events.read('no such run', 0)).toEqual([]);
    });

    test('reads a thousand when no limit is given', async () => {
      await events.append(
        'a',
        Array.from({ length: 1_001 }, (_, index) => said(String(index))),
      );

      expect(await events.read('a', 0)).toHaveLength(1_000);
    });

    test('an event that cannot be written takes its whole batch back', async () => {
      const unwritable = { ...said('two'), at: 1n } as unknown as RunEvent;

      await expect(events.append('a', [said('one'), unwritable])).rejects.toThrow('BigInt');
      expect(await events.read('a', 0)).toEqual([]);
    });

    test('what one opening wrote is there for the next', async () => {
      await events.append('a', [said('one')]);
      await events.close();
      events = openEvents(place.address);

      expect(await events.read('a', 0)).toHaveLength(1);
    });

    test('several processes append to one run without a gap and without tearing a batch, while it is read', async () => {
      const writers = ['a', 'b', 'c'].map((writer) => start('append-events', [place.address, 'run', writer, '20']));
      await Promise.all(writers.map((child) => child.hear()));
      for (const child of writers) child.say('go');

      const seen: Awaited<ReturnType<EventStore['read']>>[number][] = [];
      while (seen.length < 120) seen.push(...(await events.read('run', seen.length, { limit: 7 })));

      expect(seen.map((event) => event.offset)).toEqual(seen.map((_, index) => index + 1));
      const pairs = seen.filter((_, index) => index % 2 === 0).map((event, index) => [event, seen[index * 2 + 1]]);
      for (const [first, second] of pairs) expect({ ...first, turn: 2, offset: 0 }).toEqual({ ...second, offset: 0 });
    });

    test('reads back any events of any runs', async () => {
      const run = fc.oneof(fc.constantFrom('a', 'b'), anyText);
      const batch = fc.tuple(run, fc.array(anyText.map(said), { maxLength: 3 }));
      await fc.assert(
        fc.asyncProperty(fc.array(batch, { maxLength: 8 }), async (batches) => {
          const fresh = await makePlace();
          const subject = openEvents(fresh.address);
          const model = new Map<string, RunEvent[]>();
          try {
            for (const [name, appended] of batches) {
              model.set(name, [...(model.get(name) ?? []), ...appended]);
              expect(await subject.append(name, appended)).toBe(model.get(name)?.length);
            }
            for (const [name, expected] of model) {
              expect(await subject.read(name, 0)).toEqual(
                expected.map((event, index) => ({ ...event, offset: index + 1 })),
              );
            }
          } finally {
            await subject.close();
            await fresh.remove();
          }
        }),
        { numRuns: 30 },
      );
    });
  });
}
