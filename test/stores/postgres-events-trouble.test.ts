import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import type { EventStore } from '../../src/contracts/event-store.ts';
import type { StreamEvent } from '../../src/contracts/events.ts';
import { parsePostgresAddress } from '../../src/stores/postgres-address.ts';
import { openPostgresEvents, type PostgresEventsOptions } from '../../src/stores/postgres-events.ts';
import { parseStoreAddress } from '../../src/stores/store-address.ts';
import { piece, said } from './event-samples.ts';
import { startProxy, type PostgresProxy } from './postgres-proxy.ts';
import { PASSWORD, usePostgres } from './postgres-server.ts';
import type { StorePlace } from './store-folder.ts';

const server = usePostgres();
const opened: EventStore[] = [];
const never = new AbortController().signal;
let place: StorePlace;
let schema: string;
let proxy: PostgresProxy;
/** Reaches the server by the proxy, and has time enough on a busy machine. */
let events: EventStore;
/** Goes past the proxy. */
let direct: EventStore;

beforeEach(async () => {
  place = await server.makePlace();
  schema = new URL(place.address).searchParams.get('schema')!;
  proxy = await startProxy(server.port);
  events = open(server.addressOf(schema, proxy.port));
  direct = open(place.address);
});

afterEach(async () => {
  await Promise.all(opened.splice(0).map((one) => one.close()));
  await proxy.close();
  await place.remove();
});

function open(address: string, options: PostgresEventsOptions = PATIENT): EventStore {
  const store = openPostgresEvents(parsePostgresAddress(parseStoreAddress(address)), options);
  opened.push(store);
  return store;
}

const PATIENT = { lockWaitMs: 20_000 };
const HASTY = { lockWaitMs: 1_000 };

const textsOf = async (run = 'a', store = direct) =>
  (await store.read(run, 0, { limit: 10_000 })).map((event) => (event.type === 'said' ? event.text : ''));

const messageOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'it worked',
    (error: unknown) => (error as Error).message,
  );

const cutAll = () =>
  server.sql(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'holdfast'`);

/** Appends 0, 1, 2 until told to stop; gives what was acknowledged. */
function keepAppending(store: EventStore, label: string): () => Promise<readonly string[]> {
  let isOver = false;
  const acknowledged: string[] = [];
  const appending = (async () => {
    for (let index = 0; !isOver; index++) {
      await store.append('a', [said(`${label}${index}`)]);
      acknowledged.push(`${label}${index}`);
    }
  })();
  return async () => {
    isOver = true;
    await appending;
    return acknowledged;
  };
}

/** Waits and reads in turns until told to stop; gives what it saw. */
function keepWatching(store: EventStore): (until: number) => Promise<readonly string[]> {
  const seen: string[] = [];
  let wanted = Infinity;
  const stopping = new AbortController();
  const watching = (async () => {
    while (seen.length < wanted) {
      await store.untilAfter('a', seen.length, stopping.signal);
      for (const event of await store.read('a', seen.length)) seen.push(event.type === 'said' ? event.text : '');
    }
  })();
  // Told to whoever stops it.
  watching.catch(() => undefined);
  return async (until) => {
    wanted = until;
    // Whoever waits for the next one has all that there is.
    if (seen.length >= wanted) stopping.abort();
    await watching;
    return seen;
  };
}

describe('a server that restarts', () => {
  test('while it is waited for an event: the waiting goes on', async () => {
    await events.append('a', [said('one')]);
    const waiting = direct.untilAfter('a', 1, never);
    await sleep(100);
    await server.crash();
    await server.start();
    await events.append('a', [said('two')]);

    await expect(waiting).resolves.toBeUndefined();
    expect(await textsOf()).toEqual(['one', 'two']);
  });

  test('while many append and one watches: nothing is lost, doubled, or out of order', async () => {
    const stops = ['p', 'q', 'r', 's'].map((label) => keepAppending(open(place.address), label));
    const stopWatching = keepWatching(direct);
    for (let time = 0; time < 2; time++) {
      await sleep(300);
      await server.crash();
      await server.start();
    }
    await sleep(300);
    const acknowledged = (await Promise.all(stops.map((stop) => stop()))).flat();
    const stored = await textsOf();

    expect(stored.toSorted()).toEqual(acknowledged.toSorted());
    expect(stored.length).toBeGreaterThan(20);
    expect((await direct.read('a', 0, { limit: 10_000 })).at(-1)?.offset).toBe(stored.length);
    expect(await stopWatching(stored.length)).toEqual(stored);
  });

  test('while a piece is decided on: it is decided anew, and written once', async () => {
    await events.append('a', []);
    let decided = 0;
    const restarted = (async () => {
      await server.crash();
      await server.start();
    })();
    await events.appendPieces('a', () => {
      decided += 1;
      return [piece('x')];
    });
    await restarted;

    expect(decided).toBeGreaterThanOrEqual(1);
    expect(await direct.read('a', 0)).toHaveLength(1);
  });

  test('and does not come back: waiting and reading end alike, and both work again once it is there', async () => {
    const hasty = open(place.address, HASTY);
    await hasty.append('a', [said('one')]);
    await server.crash();
    const [waited, read] = await Promise.all([
      messageOf(hasty.untilAfter('a', 1, never)),
      messageOf(hasty.read('a', 0)),
    ]);
    await server.start();

    for (const message of [waited, read]) {
      expect(message).toMatch(/^Cannot use the event store at postgres:.*: (no server answers there|connection)/i);
    }
    await hasty.untilAfter('a', 0, never);
    expect(await textsOf('a', hasty)).toEqual(['one']);
  });
});

test('of connections cut again and again, every event is written, and once', async () => {
  const texts = Array.from({ length: 200 }, (_, index) => `e${index}`);
  const writers = Array.from({ length: 4 }, () => open(place.address));
  await direct.append('a', []);
  const stopWatching = keepWatching(open(place.address));
  const appending = Promise.all(texts.map((text, index) => writers[index % 4]!.append('a', [said(text)])));
  for (let cut = 0; cut < 30; cut++) await cutAll();
  const offsets = await appending;

  const stored = await textsOf();
  expect(stored.toSorted()).toEqual(texts.toSorted());
  expect(offsets.map((offset) => stored[offset - 1])).toEqual(texts);
  expect(await stopWatching(200)).toEqual(stored);
});

describe('a connection that is lost in a commit', () => {
  test.each([
    ['before it counted: it is written anew', 'question-lost', 2],
    ['after it counted: it is not written again', 'answer-lost', 1],
  ] as const)('%s, and stands once', async (_, fate, times) => {
    await events.append('a', [said('one')]);
    proxy.spoilCommit(fate);
    expect(await events.append('a', [said('two'), said('three')])).toBe(3);
    let decided = 0;
    proxy.spoilCommit(fate);
    const offset = await events.appendPieces('a', () => {
      decided += 1;
      return [piece('x')];
    });

    expect(offset).toBe(4);
    expect(decided).toBe(times);
    expect(await direct.read('a', 0)).toMatchObject([
      { text: 'one' },
      { text: 'two' },
      { text: 'three' },
      { delta: 'x' },
    ]);
  });

  test.each([
    [
      'before it counted: what another wrote meanwhile, though it says the same, is not taken for it',
      'question-lost',
      2,
    ],
    ['after it counted: it has the place it was given, before what another wrote meanwhile', 'answer-lost', 1],
  ] as const)('%s', async (_, fate, offset) => {
    await events.append('b', []);
    proxy.spoilCommit(fate, 'then-down');
    const appending = events.append('a', [said('same')]);
    const inDoubt = await Promise.race([appending, sleep(200, 'in doubt')]);
    await direct.append('a', [said('same')]);
    proxy.setDown(false);

    expect(inDoubt).toBe('in doubt');
    expect(await appending).toBe(offset);
    expect(await textsOf()).toEqual(['same', 'same']);
  });

  test('with the server out of reach afterwards: it is said that it may stand, and the next decision sees that it does', async () => {
    const hasty = open(server.addressOf(schema, proxy.port), HASTY);
    const before = await hasty.appendPieces('a', () => [piece('x')]);
    proxy.spoilCommit('answer-lost', 'then-down');
    const message = await messageOf(hasty.appendPieces('a', () => [piece('y')]));
    proxy.setDown(false);
    let newest: StreamEvent | undefined;
    await hasty.appendPieces('a', (found) => {
      newest = found;
      return [];
    });

    expect(message).toContain('what was being written may stand');
    expect(newest).toMatchObject({ delta: 'y', offset: before + 1 });
    expect(await direct.read('a', 0)).toHaveLength(2);
  });
});

describe('a server that falls silent', () => {
  test('is not waited for without end, whether events are read or waited for', async () => {
    const hasty = open(server.addressOf(schema, proxy.port), HASTY);
    await hasty.append('a', []);
    proxy.fallSilent();
    const ends = await Promise.all([messageOf(hasty.read('a', 0)), messageOf(hasty.untilAfter('a', 0, never))]);

    for (const message of ends) expect(message).toContain('the server did not answer in time');
  });

  test('keeps nobody whose signal fires', async () => {
    const hasty = open(server.addressOf(schema, proxy.port), HASTY);
    await hasty.append('a', []);
    proxy.fallSilent();
    const aborting = new AbortController();
    const waiting = hasty.untilAfter('a', 0, aborting.signal);
    await sleep(50);
    aborting.abort();

    await expect(waiting).resolves.toBeUndefined();
  });
});

describe('a store that cannot serve says so to all who ask', () => {
  const calls = [
    ['appending', (store: EventStore) => store.append('a', [said('two')])],
    ['reading', (store: EventStore) => store.read('a', 0)],
    ['waiting', (store: EventStore) => store.untilAfter('a', 9, never)],
  ] as const;

  test.each(calls)('removed in the middle of use: %s; and nothing is begun anew', async (_, call) => {
    await direct.append('a', [said('one')]);
    await server.sql(`DROP SCHEMA ${schema} CASCADE`);

    expect(await messageOf(call(direct))).toContain(
      'its tables are gone. Restore the database, or restart the workers',
    );
    expect(await server.sql(`SELECT FROM pg_namespace WHERE nspname = '${schema}'`)).toEqual([]);
  });

  test.each(calls)('of a newer version: %s', async (_, call) => {
    await direct.append('a', [said('one')]);
    await server.sql(`UPDATE ${schema}.meta SET version = 99 WHERE holds = 'events'`);

    expect(await messageOf(call(direct))).toContain(
      'it has schema version 99, and this holdfast knows versions up to 1',
    );
  });

  test.each(calls)('behind a wrong password, which nothing shows: %s', async (_, call) => {
    const store = open(place.address.replace(PASSWORD, `${PASSWORD}-at-all`), HASTY);
    const error: unknown = await call(store).catch((reason: unknown) => reason);

    expect((error as Error).message).toMatch(/^Cannot use the event store at .* the server refuses the password/);
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(PASSWORD);
  });
});
