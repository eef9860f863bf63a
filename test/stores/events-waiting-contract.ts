import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { EventStore } from '../../src/contracts/event-store.ts';
import { openEvents } from '../../src/stores/open-stores.ts';
import { useChildren } from './child.ts';
import { piece, said } from './event-samples.ts';
import type { StorePlace } from './store-folder.ts';

/** The part of the contract that is about waiting for events. */
export function eventsWaitingContract(name: string, makePlace: () => Promise<StorePlace>): void {
  describe(`${name}, waited at for events`, () => {
    const start = useChildren();
    const stop = new AbortController();
    let place: StorePlace;
    let events: EventStore;
    let woken: string[];

    beforeEach(async () => {
      place = await makePlace();
      events = openEvents(place.address);
      woken = [];
    });

    afterEach(async () => {
      await events.close();
      await place.remove();
    });

    /** Waits under a name, in a store of its own if need be. */
    const wait = async (label: string, after: number, { run = 'a', store = events, signal = stop.signal } = {}) => {
      await store.untilAfter(run, after, signal);
      woken.push(label);
    };

    test('what is there already is not waited for, whatever it is', async () => {
      await events.append('a', [said('one'), piece('x')]);

      await Promise.all([wait('first', 0), wait('second', 1)]);
      expect(woken).toHaveLength(2);
    });

    test('an event wakes those who wait for it, and nobody who waits for a later one or for another run', async () => {
      await events.append('a', [said('one')]);
      // Closed at the end of the test, which ends their waiting.
      void wait('later', 2).catch(() => undefined);
      void wait('other run', 0, { run: 'b' }).catch(() => undefined);
      const waiting = [wait('next', 1), wait('next too', 1)];
      await events.append('a', [piece('x')]);
      await Promise.all(waiting);

      expect(woken).toEqual(['next', 'next too']);
    });

    test('a run of any name is waited for', async () => {
      const names = ['a\0b', '\ud800', String.raw`\u0000`, '{NULL}', `"',`, ''];
      const waiting = names.map((run) => wait(run, 0, { run }));
      for (const run of names) await events.append(run, [said('one')]);
      await Promise.all(waiting);

      expect(woken.toSorted()).toEqual(names.toSorted());
    });

    test('an event of another opening, and of another process, wakes too', async () => {
      const child = start('append-events', [place.address, 'a', 'writer', '1']);
      await child.hear();
      const other = openEvents(place.address);
      const waiting = [wait('here', 0), wait('there', 0, { store: other })];
      child.say('go');
      await Promise.all(waiting);

      expect(await other.read('a', 0)).toHaveLength(2);
      await other.close();
    });

    test('two hundred wait at once, each for its own, and all are woken', async () => {
      const runs = Array.from({ length: 200 }, (_, index) => `run ${index % 50}`);
      const waiting = runs.map((run, index) => wait(`${run}/${index}`, 1, { run }));
      for (const run of new Set(runs)) await events.append(run, [said('one'), said('two')]);
      await Promise.all(waiting);

      expect(new Set(woken).size).toBe(200);
    });

    test('whoever waits and reads in turns sees each event once, in order, while others write', async () => {
      const seen: string[] = [];
      const reading = (async () => {
        for (let after = 0; seen.length < 30; after = seen.length) {
          await events.untilAfter('a', after, stop.signal);
          for (const event of await events.read('a', after)) seen.push(event.type === 'said' ? event.text : '');
        }
      })();
      const texts = Array.from({ length: 30 }, (_, index) => String(index));
      for (const text of texts) await events.append('a', [said(text)]);
      await reading;

      expect(seen).toEqual(texts);
    });

    test('the signal ends it, also one that has fired before', async () => {
      const aborting = new AbortController();
      const waiting = wait('waited', 0, { signal: aborting.signal });
      aborting.abort();
      await waiting;
      await wait('never waited', 0, { signal: aborting.signal });

      expect(woken).toEqual(['waited', 'never waited']);
    });

    test.each([
      ['a store that is there', true],
      ['one that is not, for those who only look', false],
    ])('of %s, closing ends the waiting', async (_, creates) => {
      const looking = openEvents(place.address, { creates });
      const waiting = looking.untilAfter('a', 0, stop.signal);
      await looking.read('a', 0);
      await looking.close();

      await expect(waiting).rejects.toThrow('it was closed. Open it again');
    });

    test('those who only look find nothing where there is no store, make none, and are woken once there is one', async () => {
      const looking = openEvents(place.address, { creates: false });
      expect(await looking.read('a', 0)).toEqual([]);
      expect(await looking.newest('a', 'said')).toBeUndefined();
      await expect(looking.append('a', [said('one')])).rejects.toThrow('there is none. A worker makes it');
      const waiting = wait('looking', 0, { store: looking });
      await events.append('a', [said('one')]);
      await waiting;

      expect(await looking.read('a', 0)).toHaveLength(1);
      await looking.close();
    });
  });
}
