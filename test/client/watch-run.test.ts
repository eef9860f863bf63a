import { rm } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { watchRun, type WatchOptions } from '../../src/client/watch-run.ts';
import type { EventStore } from '../../src/contracts/event-store.ts';
import type { RunEvent, StoredEvent } from '../../src/contracts/events.ts';
import { openEvents } from '../../src/stores/open-stores.ts';
import { piece, said } from '../stores/event-samples.ts';
import { makeLocalPlace, type StorePlace } from '../stores/store-folder.ts';

let place: StorePlace;
let events: EventStore;
beforeEach(async () => {
  place = await makeLocalPlace('sqlite', 'events.db');
  events = openEvents(place.address);
});
afterEach(async () => {
  await events.close();
  await place.remove();
});

const started = (at: number): RunEvent => ({ type: 'run-started', at, agent: 'a', input: '""' });
const ended = (at: number): RunEvent => {
  const spend = { inputTokens: 0, outputTokens: 0, unmetered: 0 };
  return {
    type: 'run-ended',
    at,
    status: 'failed',
    result: { status: 'failed', text: '', open: [], spend, taskId: 'r' },
  };
};

type Look = Parameters<typeof watchRun>[3];
const going: Look = () => Promise.resolve({ isOver: false, startedAt: 0 });

async function seen(options: WatchOptions = {}, look: Look = going): Promise<readonly StoredEvent[]> {
  const all: StoredEvent[] = [];
  for await (const event of watchRun({ events }, 'run', options, look)) all.push(event);
  return all;
}

const offsets = async (...asked: Parameters<typeof seen>) => (await seen(...asked)).map(({ offset }) => offset);

describe('where a watcher begins', () => {
  test('is refused when it is no whole number', async () => {
    for (const from of [NaN, Infinity, 1.5, 1e300]) await expect(seen({ from })).rejects.toThrow(`from ${from}`);
  });

  test('is the beginning of the run that is the current one under the id', async () => {
    await events.append('run', [started(1), ended(2), started(3), said('now'), ended(4)]);
    expect(await offsets()).toEqual([3, 4, 5]);
    expect(await offsets({ from: 0 })).toEqual([1, 2, 3, 4, 5]);
    expect(await offsets({ from: -50 })).toEqual([3, 4, 5]);
  });

  test('is behind the end of the last one where the server has started another that was not heard yet', async () => {
    await events.append('run', [started(1), ended(2)]);
    const other: Look = () => Promise.resolve({ isOver: false, startedAt: 3 });
    const watching = offsets({}, other);
    await new Promise((go) => setTimeout(go, 60));
    await events.append('run', [started(4), ended(5)]);
    expect(await watching).toEqual([3, 4]);
    // Of a run that the server has forgotten the events are what there is.
    expect(await offsets({}, () => Promise.reject(new Error('not found')))).toEqual([3, 4]);
  });

  test('below 0 is the first word of the reply it falls into', async () => {
    const pieces = Array.from({ length: 20 }, (_, at) => ({ ...piece(`${at} `), seq: at + 1 }) as RunEvent);
    await events.append('run', [started(1), ...pieces, ended(2)]);
    expect((await offsets({ from: -4 }))[0]).toBe(2);
    expect((await offsets({ from: -1 }))[0]).toBe(22);
  });

  test('beyond the end is the beginning: the store was lost meanwhile', async () => {
    await events.append('run', [started(1), ended(2)]);
    expect(await offsets({ from: 40 })).toEqual([1, 2]);
  });
});

describe('a watcher that hears nothing', () => {
  test('waits for no answer of the server: what comes meanwhile is told, and it can leave', async () => {
    const never: Look = () => new Promise(() => undefined);
    const leaving = new AbortController();
    const watching = watchRun({ events }, 'run', { signal: leaving.signal }, never);
    const first = watching.next();
    await new Promise((go) => setTimeout(go, 2_300));
    await events.append('run', [said('late')]);
    expect(await first).toMatchObject({ value: { text: 'late' } });
    const next = watching.next();
    await new Promise((go) => setTimeout(go, 2_300));
    const began = performance.now();
    leaving.abort();
    expect(await next).toMatchObject({ done: true });
    expect(performance.now() - began).toBeLessThan(1_000);
  }, 15_000);

  test('ends with a run that was ended from outside', async () => {
    await events.append('run', [started(1)]);
    expect(await offsets({}, () => Promise.resolve({ isOver: true, startedAt: 0 }))).toEqual([1]);
  }, 15_000);

  test('begins anew with a store that was lost', async () => {
    await events.append('run', [started(1), said('a'), said('b')]);
    const told: StoredEvent[] = [];
    const watching = (async () => {
      for await (const event of watchRun({ events }, 'run', {}, going)) told.push(event);
    })();
    while (told.length < 3) await new Promise((go) => setTimeout(go, 10));
    await rm(place.address.replace('sqlite:', ''));
    await events.append('run', [said('c')]);
    while (told.length < 4) await new Promise((go) => setTimeout(go, 50));
    await events.append('run', [ended(9)]);
    await watching;
    expect(told.slice(3).map(({ offset }) => offset)).toEqual([1, 2]);
  }, 20_000);
});
