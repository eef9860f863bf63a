import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { Client } from 'pg';
import type { EventStore } from '../../src/contracts/event-store.ts';
import type { RunEvent } from '../../src/contracts/events.ts';
import type { RunResult } from '../../src/contracts/run-result.ts';
import { openEvents, openLedger, type StoreUse } from '../../src/stores/open-stores.ts';
import { digestOf, digestOfKey, digestOfRun, lockFirst, lockThen } from '../../src/stores/postgres-locks.ts';
import { LEDGER_SCHEMA } from '../../src/stores/postgres-ledger-schema.ts';
import { piece, said } from './event-samples.ts';
import { eventsContract } from './events-contract.ts';
import { claimOnce, keyOf } from './ledger-entries.ts';
import { usePostgres } from './postgres-server.ts';
import type { StorePlace } from './store-folder.ts';

const server = usePostgres();
eventsContract('postgres', () => server.makePlace());

const opened: { close(): Promise<void> }[] = [];
let place: StorePlace;
let schema: string;
let events: EventStore;

beforeEach(async () => {
  place = await server.makePlace();
  schema = new URL(place.address).searchParams.get('schema')!;
  events = openAnother();
});

afterEach(async () => {
  await Promise.all(opened.splice(0).map((one) => one.close()));
  await place.remove();
});

function keep<Store extends { close(): Promise<void> }>(store: Store): Store {
  opened.push(store);
  return store;
}
const openAnother = (use: StoreUse = {}, address = place.address) => keep(openEvents(address, use));
const openItsLedger = () => keep(openLedger(place.address));

const tables = () =>
  server.sql(
    `SELECT string_agg(tablename, ' ' ORDER BY tablename) AS names FROM pg_tables WHERE schemaname = '${schema}'`,
  );
const stores = () => server.sql(`SELECT holds, id, version FROM ${schema}.meta ORDER BY holds`);

/** Keeps a transaction open with what the statement locks. */
async function hold(statement: string): Promise<() => Promise<void>> {
  const client = new Client({ connectionString: place.address.replace(/\?.*/, '') });
  await client.connect();
  await client.query(`BEGIN; ${statement}`);
  return () => client.end();
}

describe('one schema holds a ledger and events', () => {
  test.each([
    ['the ledger first', 'ledger'],
    ['the events first', 'events'],
  ])('%s', async (_, first) => {
    const ledger = openItsLedger();
    if (first === 'ledger') await ledger.id();
    await events.append('a', [said('one')]);
    await ledger.decide(keyOf('a'), claimOnce('a', 'test'));

    expect(await tables()).toEqual([{ names: 'events meta records' }]);
    expect(await stores()).toMatchObject([
      { holds: 'events', version: 1 },
      { holds: 'ledger', version: 1, id: await ledger.id() },
    ]);
    expect(await events.read('a', 0)).toHaveLength(1);
    expect(await ledger.read({})).toHaveLength(1);
  });

  test('of many who meet where there is nothing, each finds the same stores', async () => {
    const meeting = Array.from({ length: 6 }, async (_, index) => [
      await openItsLedger().id(),
      await openAnother().append('a', [said(String(index))]),
    ]);
    const met = await Promise.all(meeting);

    expect(new Set(met.map(([id]) => id)).size).toBe(1);
    expect(met.map(([, offset]) => Number(offset)).sort()).toEqual([1, 2, 3, 4, 5, 6]);
    expect(await stores()).toHaveLength(2);
  });

  test('of many who meet at a ledger without events, each finds the same events', async () => {
    const id = await openItsLedger().id();
    const offsets = await Promise.all(Array.from({ length: 6 }, () => openAnother().append('a', [said('one')])));

    expect(offsets.sort()).toEqual([1, 2, 3, 4, 5, 6]);
    expect(await stores()).toMatchObject([{ holds: 'events' }, { holds: 'ledger', id }]);
  });

  test('a ledger that an earlier version made is given events, and stays as it was', async () => {
    await server.sql(ledgerOfBefore(schema));
    await events.append('a', [said('one')]);

    expect(await stores()).toMatchObject([
      { holds: 'events', version: 1 },
      { holds: 'ledger', id: 'made-before', version: 1 },
    ]);
    const ledger = openItsLedger();
    expect(await ledger.id()).toBe('made-before');
    expect(await ledger.decide(keyOf('a'), claimOnce('a', 'test'))).toMatchObject({ answer: 'won' });
  });

  test('those who only look find no events in a ledger without them, and make none', async () => {
    await openItsLedger().id();
    const looking = openAnother({ creates: false });
    expect(await looking.read('a', 0)).toEqual([]);
    expect(await tables()).toEqual([{ names: 'meta records' }]);
    const waiting = looking.untilAfter('a', 0, new AbortController().signal);
    await events.append('a', [said('one')]);

    await expect(waiting).resolves.toBeUndefined();
  });
});

describe('a run is written to by one at a time', () => {
  test('and the others wait for it: an offset is seen only after those before it', async () => {
    await events.append('a', [said('one')]);
    const letGo = await hold(lockFirst(schema, digestOfRun('a')));
    const order: string[] = [];
    const waiting = [
      events.append('a', [said('two')]).then(() => order.push('held back')),
      events.appendPieces('a', () => [piece('x')]).then(() => order.push('held back')),
    ];
    await events.append('b', [said('other')]).then(() => order.push('another run'));
    expect(await events.read('a', 0)).toHaveLength(1);
    await letGo();
    await Promise.all(waiting);

    expect(order).toEqual(['another run', 'held back', 'held back']);
  });

  test.each([
    ['a key', () => lockFirst(schema, digestOfKey(keyOf('a')))],
    ['a key of the same names', () => lockFirst(schema, digestOfKey({ namespace: 'events', scope: 'a', intent: '' }))],
    ['a task', () => lockThen(schema, [digestOf('a')])],
  ])('and waits for no decision about %s of the ledger', async (_, lock) => {
    await openItsLedger().id();
    await events.append('b', []);
    const letGo = await hold(lock());

    expect(await events.append('a', [said('one')])).toBe(1);
    await letGo();
  });

  test('and keeps no decision of the ledger waiting', async () => {
    const ledger = openItsLedger();
    await ledger.id();
    const letGo = await hold(lockFirst(schema, digestOfRun('a')));

    expect(await ledger.decide(keyOf('a'), claimOnce('a', 'test'))).toMatchObject({ answer: 'won' });
    await letGo();
  });
});

describe('rights', () => {
  test('a worker needs to read and to insert', async () => {
    await events.append('a', [said('one')]);
    const worker = openAnother({}, await makeUser('SELECT, INSERT'));

    expect(await worker.append('a', [said('two')])).toBe(2);
    expect(await worker.appendPieces('a', () => [piece('x')])).toBe(3);
  });

  test('who may only read can read and wait; even appending nothing is refused, so that it can be tried', async () => {
    await events.append('a', [said('one')]);
    const reader = openAnother({}, await makeUser('SELECT'));
    await reader.untilAfter('a', 0, new AbortController().signal);

    expect(await reader.read('a', 0)).toHaveLength(1);
    await expect(reader.append('a', [])).rejects.toThrow('the user lacks a right. docs/stores.md lists');
  });

  /** The address of a user who may do this with all tables of the schema. */
  async function makeUser(rights: string): Promise<string> {
    const name = `${schema}_user`;
    await server.sql(`
      CREATE ROLE ${name} LOGIN PASSWORD 'theirs';
      GRANT USAGE ON SCHEMA ${schema} TO ${name}; GRANT ${rights} ON ALL TABLES IN SCHEMA ${schema} TO ${name}`);
    return place.address.replace(/\/\/[^@]*@/, `//${name}:theirs@`);
  }
});

test('the statement of docs/stores.md deletes the events of runs that ended long ago, and of no others', async () => {
  const daysAgo = (days: number) => Date.now() - days * 86_400_000;
  const started = (days: number) =>
    ({ type: 'run-started', at: daysAgo(days), agent: 'a', input: '"at":1 \0' }) as const;
  const result = { status: 'completed', text: '\0' } as RunResult;
  const ended = (days: number) => ({ type: 'run-ended', at: daysAgo(days), status: 'completed', result }) as const;
  const runs: Readonly<Record<string, readonly RunEvent[]>> = {
    old: [started(100), piece('x'), ended(91), said('after')],
    late: [started(100), ended(89)],
    open: [started(100), said('one')],
    again: [started(100), ended(95), started(80)],
    'again and open': [started(110), ended(100), started(95)],
  };
  for (const [run, itsEvents] of Object.entries(runs)) await events.append(run, itsEvents);
  const statement = /DELETE FROM holdfast[^;]*/.exec(await readFile('docs/stores.md', 'utf8'))?.[0] ?? '';
  await server.sql(statement.replaceAll('holdfast.', `${schema}.`));

  const left = await server.sql(`SELECT DISTINCT run FROM ${schema}.events ORDER BY run`);
  expect(left.map(({ run }) => run)).toEqual(['again', 'again and open', 'late', 'open']);
  expect(await events.append('old', [said('anew')])).toBe(1);
});

/** As it was made before there were events: never to be brought up to date. Steps of a migration never change. */
const ledgerOfBefore = (name: string) => `
  CREATE SCHEMA ${name};
  CREATE TABLE ${name}.meta (holds TEXT PRIMARY KEY, id TEXT NOT NULL, version INTEGER NOT NULL);
  CREATE FUNCTION ${name}.meta_stays() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'the id of a store never changes'; END $$;
  CREATE TRIGGER meta_keeps_id BEFORE UPDATE OF holds, id ON ${name}.meta EXECUTE FUNCTION ${name}.meta_stays();
  CREATE TRIGGER meta_stays BEFORE DELETE OR TRUNCATE ON ${name}.meta EXECUTE FUNCTION ${name}.meta_stays();
  ALTER TABLE ${name}.meta ENABLE ALWAYS TRIGGER meta_keeps_id, ENABLE ALWAYS TRIGGER meta_stays;
  INSERT INTO ${name}.meta (holds, id, version) VALUES ('ledger', 'made-before', 1);
  ${LEDGER_SCHEMA.migrations[0]?.(name)}
`;
