import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { EventStore } from '../../src/contracts/event-store.ts';
import type { RunEvent, StoredEvent, StreamEvent } from '../../src/contracts/events.ts';
import { openEvents } from '../../src/stores/open-stores.ts';
import { anyText } from './arbitraries.ts';
import { beginStream, piece, reset, said, streamOf } from './event-samples.ts';
import { eventsProcessesContract } from './events-processes-contract.ts';
import { eventsWaitingContract } from './events-waiting-contract.ts';
import type { StorePlace } from './store-folder.ts';

/** What every event store must do, whatever holds its events. `makePlace` gives an address at which there is nothing yet. */
export function eventsContract(name: string, makePlace: () => Promise<StorePlace>): void {
  eventsWaitingContract(name, makePlace);
  eventsProcessesContract(name, makePlace);

  describe(`${name} as an event store`, () => {
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

    test('the head is the offset of the last event, 0 for a run without any', async () => {
      await events.append('a', [said('one'), said('two')]);
      expect([await events.head('a'), await events.head('b')]).toEqual([2, 0]);
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

    test('facts are read without pieces and resets, under the offsets they have', async () => {
      const mixed = [piece('a'), said('one'), reset(streamOf(2)), piece('b'), said('two'), said('three'), piece('c')];
      await events.append('a', mixed);

      expect(await events.read('a', 0, { only: 'facts' })).toStrictEqual([
        { ...said('one'), offset: 2 },
        { ...said('two'), offset: 5 },
        { ...said('three'), offset: 6 },
      ]);
      expect(await events.read('a', 2, { only: 'facts', limit: 1 })).toMatchObject([{ offset: 5 }]);
      expect(await events.read('a', 0)).toHaveLength(7);
    });

    test('gives the newest event of a type, of this run', async () => {
      await events.append('a', [said('one'), said('two'), piece('x')]);
      await events.append('b', [said('other')]);

      expect(await events.newest('a', 'said')).toStrictEqual({ ...said('two'), offset: 2 });
      expect(await events.newest('a', 'reset')).toBeUndefined();
      expect(await events.newest('no such run', 'said')).toBeUndefined();
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

    test.each([
      ['NUL', 'a\0b'],
      ['halves of surrogate pairs', '\ud800 \udc00\ud800'],
      ['what looks like an escape', String.raw`\u0000 \ud800 \\ \"`],
      ['signs of SQL and of arrays', `', "{NULL}" $1 %s`],
      ['nothing', ''],
      ['a megabyte', 'pä\0'.repeat(350_000)],
    ])('%s in a piece comes back as it was, and as the newest piece', async (_, delta) => {
      await events.appendPieces('a', () => [piece(delta), piece('next')]);
      let newest: StreamEvent | undefined;
      await events.append('a', [piece(delta)]);
      await events.appendPieces('a', (found) => {
        newest = found;
        return [];
      });

      expect(await events.read('a', 0)).toStrictEqual(
        [piece(delta), piece('next'), piece(delta)].map((event, index) => ({ ...event, offset: index + 1 })),
      );
      expect(newest).toStrictEqual({ ...piece(delta), offset: 3 });
    });

    test('a run may have the longest name that Temporal gives', async () => {
      const long = Array.from({ length: 1_000 }, (_, index) => String.fromCharCode(33 + ((index * index) % 94))).join(
        '',
      );
      await events.append(long, [said('one')]);

      expect(await events.append(long, [said('two')])).toBe(2);
      expect(await events.append(long.slice(1), [])).toBe(0);
    });

    describe('pieces', () => {
      const seen: (StreamEvent | undefined)[] = [];
      const note = (newest: StreamEvent | undefined) => {
        seen.push(newest);
        return [];
      };
      beforeEach(() => void seen.splice(0));

      test('are decided on by the newest piece or reset of the run, whatever came after it', async () => {
        await events.appendPieces('a', note);
        await events.append('a', [said('one')]);
        await events.appendPieces('a', note);
        await events.append('a', [piece('x'), said('two')]);
        await events.appendPieces('a', note);
        await events.append('a', [reset(streamOf(2)), said('three')]);
        await events.append('b', [piece('other')]);
        await events.appendPieces('a', note);

        expect(seen).toStrictEqual([
          undefined,
          undefined,
          { ...piece('x'), offset: 2 },
          { ...reset(streamOf(2)), offset: 4 },
        ]);
      });

      test('and facts beside them are written together; the last offset of the run is answered', async () => {
        expect(await events.appendPieces('a', () => [])).toBe(0);
        expect(await events.appendPieces('a', () => [piece('x'), said('one')])).toBe(2);
        expect(await events.appendPieces('a', () => [])).toBe(2);
        expect(await events.read('a', 0)).toStrictEqual([
          { ...piece('x'), offset: 1 },
          { ...said('one'), offset: 2 },
        ]);
      });

      test('of a decision that throws are not written, and the store goes on', async () => {
        const failing = events.appendPieces('a', () => {
          throw new Error('a bug in the decision');
        });
        await expect(failing).rejects.toThrow('a bug in the decision');

        expect(await events.appendPieces('a', beginStream(1))).toBe(1);
      });

      test('decided on at once all see each other', async () => {
        const attempts = Array.from({ length: 20 }, (_, index) => index);
        const offsets = await Promise.all(attempts.map((attempt) => events.appendPieces('a', beginStream(attempt))));

        expect(offsets.sort((a, b) => a - b)).toEqual(attempts.map((index) => index + 1));
        const streams = (await events.read('a', 0)).map((event) => event.type === 'reset' && event.stream);
        expect(streams).toEqual(attempts.map((index) => index + 1));
      });
    });

    test('reads back any events of any runs', async () => {
      const run = fc.oneof(fc.constantFrom('a', 'b'), anyText);
      const event = fc.oneof(
        anyText.map(said),
        anyText.map((text) => piece(text)),
        fc.nat(9).map((stream) => reset(streamOf(stream))),
      );
      const batch = fc.record({ name: run, appended: fc.array(event, { maxLength: 3 }), decides: fc.boolean() });
      await fc.assert(
        fc.asyncProperty(fc.array(batch, { maxLength: 8 }), async (batches) => {
          const fresh = await makePlace();
          const subject = openEvents(fresh.address);
          const model = new Map<string, StoredEvent[]>();
          try {
            for (const { name, appended, decides } of batches) {
              const before = model.get(name) ?? [];
              let newest: StreamEvent | undefined;
              const decide = (found: StreamEvent | undefined) => {
                newest = found;
                return appended;
              };
              const offset = await (decides ? subject.appendPieces(name, decide) : subject.append(name, appended));
              if (decides) expect(newest).toEqual(before.findLast(isOfStream));
              model.set(name, [...before, ...appended.map((one, index) => withOffset(one, before.length + index + 1))]);
              expect(offset).toBe(model.get(name)?.length);
            }
            for (const [name, expected] of model) {
              expect(await subject.read(name, 0)).toEqual(expected);
              const facts = expected.filter((one) => !isOfStream(one));
              expect(await subject.read(name, 0, { only: 'facts' })).toEqual(facts);
              expect(await subject.newest(name, 'said')).toEqual(facts.at(-1));
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

const withOffset = (event: RunEvent, offset: number): StoredEvent => ({ ...event, offset });

const isOfStream = (event: StoredEvent): event is StreamEvent => event.type === 'piece' || event.type === 'reset';
