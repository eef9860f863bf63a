import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { inspect } from 'node:util';
import { Client } from 'pg';
import type { Ledger } from '../../src/contracts/ledger.ts';
import { parsePostgresAddress } from '../../src/stores/postgres-address.ts';
import { openPostgresLedger, type PostgresLedgerOptions } from '../../src/stores/postgres-ledger.ts';
import { digestOfKey, lockFirst } from '../../src/stores/postgres-locks.ts';
import { parseStoreAddress } from '../../src/stores/store-address.ts';
import { claimOnce, keyOf } from './ledger-entries.ts';
import { startProxy, type PostgresProxy } from './postgres-proxy.ts';
import { PASSWORD, usePostgres } from './postgres-server.ts';
import type { StorePlace } from './store-folder.ts';
import { unavailable } from './unavailable.ts';

const server = usePostgres();
const ledgers: Ledger[] = [];
let place: StorePlace;
let schema: string;
let proxy: PostgresProxy;
/** Has time enough on a busy machine. */
let ledger: Ledger;

beforeEach(async () => {
  place = await server.makePlace();
  schema = new URL(place.address).searchParams.get('schema')!;
  proxy = await startProxy(server.port);
  ledger = open(server.addressOf(schema, proxy.port));
});

afterEach(async () => {
  await Promise.all(ledgers.splice(0).map((one) => one.close()));
  await proxy.close();
  await place.remove();
});

function open(address: string, options: PostgresLedgerOptions = PATIENT): Ledger {
  const opened = openPostgresLedger(parsePostgresAddress(parseStoreAddress(address)), options);
  ledgers.push(opened);
  return opened;
}

const PATIENT = { lockWaitMs: 20_000 };
const HASTY = { lockWaitMs: 1_000 };

const claim = (intent: string, by = ledger) => by.decide(keyOf(intent), claimOnce(intent, 'test'));

async function hold(statement: string): Promise<() => Promise<void>> {
  const client = new Client({ connectionString: server.addressOf(schema) });
  await client.connect();
  await client.query(`BEGIN; ${statement}`);
  return () => client.end();
}

describe('a server that ends', () => {
  test('and is not there: LedgerUnavailable; and is there again: the same ledger goes on', async () => {
    const hasty = open(place.address, HASTY);
    await claim('a', hasty);
    await server.crash();
    const error = await unavailable(claim('b', hasty));
    await server.start();

    expect(error.message).toMatch(/: (no server answers there\. Start it, or correct host and port|connection)/i);
    expect(await claim('a')).toMatchObject({ answer: 'lost' });
    expect(await claim('b')).toMatchObject({ answer: 'won' });
    expect((await hasty.read({})).map(({ counter }) => counter)).toEqual([1, 2]);
  });

  test('and comes back in time is waited for', async () => {
    await claim('a');
    await server.crash();
    const waiting = claim('b');
    await server.start();

    expect(await waiting).toMatchObject({ answer: 'won' });
  });

  test('while connections are idle ends no process, and its next call has new ones', async () => {
    await Promise.all(['a', 'b', 'c', 'd'].map((intent) => claim(intent)));
    await server.sql(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'holdfast'`);

    expect(await Promise.all(['a', 'b', 'e'].map((intent) => claim(intent)))).toMatchObject([
      { answer: 'lost' },
      { answer: 'lost' },
      { answer: 'won' },
    ]);
  });
});

test('of connections cut again and again, every decision is made, and once', async () => {
  const intents = Array.from({ length: 200 }, (_, index) => `i${index}`);
  const writers = Array.from({ length: 4 }, () => open(place.address));
  await ledger.id();
  const deciding = Promise.all(intents.map((intent, index) => claim(intent, writers[index % 4])));
  for (let cut = 0; cut < 30; cut++) {
    await server.sql(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'holdfast'`);
  }
  const answers = (await deciding).map(({ answer }) => answer);

  expect(new Set(answers)).toEqual(new Set(['won']));
  const records = await ledger.read({ task: 't1' });
  expect(records.map(({ counter }) => counter)).toEqual(intents.map((_, index) => index + 1));
  expect(new Set(records.map(({ key }) => key.intent))).toEqual(new Set(intents));
});

describe('a connection that is lost in a commit', () => {
  test.each([
    ['before it counted: it is decided anew', 'question-lost', 2],
    ['after it counted: it is not decided again', 'answer-lost', 1],
  ] as const)('%s, and written once', async (_, fate, times) => {
    await ledger.id();
    proxy.spoilCommit(fate);
    let decided = 0;
    const { answer, written } = await ledger.decide(keyOf('a'), (records) => {
      decided++;
      return claimOnce('a', 'test')(records);
    });

    expect(answer).toBe('won');
    expect(decided).toBe(times);
    expect(await ledger.read({})).toEqual(written);
  });

  test('with the server out of reach afterwards: it is said that the record may stand, and it does', async () => {
    const hasty = open(server.addressOf(schema, proxy.port), HASTY);
    await hasty.id();
    proxy.spoilCommit('answer-lost', 'then-down');
    const error = await unavailable(claim('a', hasty));
    proxy.setDown(false);

    expect(error.message).toContain('what was being written may stand');
    expect(await claim('a', hasty)).toMatchObject({ answer: 'lost' });
    expect(await hasty.read({})).toHaveLength(1);
  });
});

test('a server that falls silent is not waited for without end, and timers go on meanwhile', async () => {
  const hasty = open(server.addressOf(schema, proxy.port), HASTY);
  await hasty.id();
  proxy.fallSilent();
  let ticks = 0;
  const timer = setInterval(() => ticks++, 10);
  const error = await unavailable(claim('a', hasty));
  clearInterval(timer);

  expect(error.message).toContain('the server did not answer in time');
  expect(ticks).toBeGreaterThan(10);
});

describe('a lock of somebody else', () => {
  test('on the key is waited for, and keeps nobody from another key or from reading', async () => {
    await ledger.id();
    const letGo = await hold(lockFirst(schema, digestOfKey(keyOf('a'))));
    const order: string[] = [];
    const waiting = claim('a').then(() => order.push('a'));
    await claim('b').then(() => order.push('b'));
    expect(await ledger.read({})).toHaveLength(1);
    await letGo();
    await waiting;

    expect(order).toEqual(['b', 'a']);
  });

  test.each([
    ['on the key', () => lockFirst(schema, digestOfKey(keyOf('a')))],
    ['on the table', () => `LOCK TABLE ${schema}.records IN SHARE MODE`],
  ])('%s, past the deadline, is LedgerUnavailable; nothing is appended, and the ledger goes on', async (_, lock) => {
    const hasty = open(place.address, HASTY);
    await hasty.id();
    const letGo = await hold(lock());
    const error = await unavailable(claim('a', hasty));
    await letGo();

    expect(error.message).toContain('another transaction keeps it locked. Find it in pg_stat_activity');
    expect(error.cause).toMatchObject({ code: '55P03' });
    expect(await ledger.read({})).toEqual([]);
    expect(await claim('a')).toMatchObject({ answer: 'won' });
  });
});

describe('those who only look', () => {
  test('make no ledger, and find nothing in one that is not there', async () => {
    const looking = open(place.address, { creates: false });
    expect(await looking.read({})).toEqual([]);
    expect(await looking.counter('t1')).toBe(0);
    for (const call of [claim('a', looking), looking.id()]) {
      expect((await unavailable(call)).message).toContain('there is none. A worker makes it');
    }
    expect(await server.sql(`SELECT FROM pg_namespace WHERE nspname = '${schema}'`)).toEqual([]);
  });

  test('see what is there, and what comes later', async () => {
    const looking = open(place.address, { creates: false });
    expect(await looking.read({})).toEqual([]);
    await claim('a');

    expect(await looking.read({})).toHaveLength(1);
  });
});

describe('a store that cannot serve is LedgerUnavailable with its cause', () => {
  test('a newer schema, met at the start or in the middle of use', async () => {
    await claim('a');
    await server.sql(`UPDATE ${schema}.meta SET version = 99`);

    for (const one of [ledger, open(place.address)]) {
      const error = await unavailable(claim('b', one));
      expect(error.message).toContain(
        'it has schema version 99, and this holdfast knows versions up to 1. Upgrade holdfast',
      );
    }
  });

  test('an older schema, for those who only look', async () => {
    await claim('a');
    await server.sql(`UPDATE ${schema}.meta SET version = 0`);
    const error = await unavailable(open(place.address, { creates: false }).read({}));

    expect(error.message).toContain('it has schema version 0, and this holdfast needs 1. Start a worker');
  });

  test('a schema of another program, which stays untouched', async () => {
    await server.sql(`CREATE SCHEMA ${schema}; CREATE TABLE ${schema}.notes (note TEXT)`);
    const error = await unavailable(claim('a'));

    expect(error.message).toContain(`the schema ${schema} belongs to another program`);
    expect(await server.sql(`SELECT tablename FROM pg_tables WHERE schemaname = '${schema}'`)).toEqual([
      { tablename: 'notes' },
    ]);
  });

  test('a schema that an administrator made, empty, serves', async () => {
    await server.sql(`CREATE SCHEMA ${schema}`);

    expect(await claim('a')).toMatchObject({ answer: 'won' });
  });

  test('removed in the middle of use: no new ledger is begun', async () => {
    await claim('a');
    await server.sql(`DROP SCHEMA ${schema} CASCADE`);
    const error = await unavailable(claim('b'));

    expect(error.message).toContain('its tables are gone. Restore the database, or restart the workers');
    expect(await server.sql(`SELECT FROM pg_namespace WHERE nspname = '${schema}'`)).toEqual([]);
  });

  test('replaced by another ledger: nothing is read from it or written to it', async () => {
    const id = await ledger.id();
    await server.sql(`DROP SCHEMA ${schema} CASCADE`);
    const other = open(place.address);
    const otherId = await other.id();

    for (const call of [claim('a'), ledger.read({}), ledger.id()]) {
      const { message } = await unavailable(call);
      expect(message).toContain(`replaced while in use by another one (id ${otherId}, expected ${id})`);
    }
    expect(await other.read({})).toEqual([]);
  });

  test('a user who may write nothing', async () => {
    await ledger.id();
    const reader = await makeReader('');
    expect(await open(reader, { creates: false }).read({})).toEqual([]);
    const error = await unavailable(claim('a', open(reader)));

    expect(error.message).toContain('the user lacks a right. docs/stores.md lists');
    expect(error.cause).toMatchObject({ code: '42501' });
  });

  test('a server that is read-only: not even a decision that writes nothing is made on it', async () => {
    await claim('a');
    const reader = open(await makeReader('ALTER ROLE USER SET default_transaction_read_only = on'), HASTY);
    const error = await unavailable(claim('a', reader));

    expect(error.message).toContain('the server is read-only: a replica, or one that fails over. Name the primary');
    expect(await reader.read({})).toHaveLength(1);
  });

  test('a database whose encoding cannot hold every text', async () => {
    await server.sql(`CREATE DATABASE ${schema} ENCODING 'LATIN1' TEMPLATE template0`);
    const latin = open(place.address.replace('/postgres?', `/${schema}?`));
    const error = await unavailable(claim('a', latin));
    await latin.close();
    await server.sql(`DROP DATABASE ${schema}`);

    expect(error.message).toContain(
      "the database has encoding LATIN1, which cannot hold every text. Make one with ENCODING 'UTF8'",
    );
  });

  test.each([
    [
      'a password that is wrong',
      (address: string) => address.replace(PASSWORD, `${PASSWORD}-at-all`),
      'refuses the password',
    ],
    ['no password', (address: string) => address.replace(`:${PASSWORD}`, ''), 'password'],
    [
      'a database that is not there',
      (address: string) => address.replace('/postgres?', '/nowhere?'),
      'there is no such database',
    ],
    ['a server that is not there', (address: string) => address.replace(/:\d+\//, ':1/'), 'no server answers there'],
    [
      'a host that is not there',
      (address: string) => address.replace('127.0.0.1', 'nowhere.invalid'),
      'there is no such host',
    ],
    [
      'a certificate that is not there',
      (address: string) => `${address}&sslrootcert=/nowhere.pem`,
      'a file is missing',
    ],
    ['TLS that the server lacks', (address: string) => `${address}&sslmode=require`, 'does not support SSL'],
  ])('%s; and nothing of the error shows the password', async (_, change, why) => {
    const address = change(place.address);
    const error = await unavailable(claim('a', open(address, HASTY)));

    expect(error.message).toMatch(/^Cannot use the ledger at postgres:\/\/postgres(:…)?@/);
    expect(error.message).toContain(why);
    expect(error.cause).toBeDefined();
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(PASSWORD);
  });
});

/** The address of a user who may only read. `setting`: a statement about USER. */
async function makeReader(setting: string): Promise<string> {
  const name = `${schema}_reader`;
  await server.sql(`
    CREATE ROLE ${name} LOGIN PASSWORD 'theirs'; ${setting.replace('USER', name)};
    GRANT USAGE ON SCHEMA ${schema} TO ${name}; GRANT SELECT ON ALL TABLES IN SCHEMA ${schema} TO ${name}`);
  return place.address.replace(/\/\/[^@]*@/, `//${name}:theirs@`);
}
