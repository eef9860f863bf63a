import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Ledger } from '../../src/contracts/ledger.ts';
import { openSqliteLedger } from '../../src/stores/sqlite-ledger.ts';
import { useChildren } from './child.ts';
import { ledgerContract } from './ledger-contract.ts';
import { claimOnce, keyOf } from './ledger-entries.ts';
import { makeFolder, makeLocalPlace, removeFolder } from './store-folder.ts';
import { unavailable } from './unavailable.ts';

ledgerContract('sqlite', () => makeLocalPlace('sqlite', 'ledger.db'));

const start = useChildren();
let folder: string;
let path: string;
let ledger: Ledger;

beforeEach(async () => {
  folder = await makeFolder();
  path = join(folder, 'ledger.db');
  ledger = openSqliteLedger(path);
});

afterEach(async () => {
  await ledger.close();
  await removeFolder(folder);
});

const claim = (intent: string) => ledger.decide(keyOf(intent), claimOnce(intent, 'test'));

/** Waits until a timer has fired so often. */
const ticks = (count: number) =>
  new Promise<void>((resolve) => {
    let left = count;
    const timer = setInterval(() => {
      if (--left > 0) return;
      clearInterval(timer);
      resolve();
    }, 1);
  });

/** Longer than a busy machine may need to bring a child round to let go. */
const PATIENT = { lockWaitMs: 20_000 };

describe('a lock held by another process', () => {
  test('is waited for while timers go on, and then the decision is made', async () => {
    ledger = openSqliteLedger(path, PATIENT);
    await ledger.id();
    const holder = start('hold-lock', [path]);
    await holder.hear();
    const order: string[] = [];
    const deciding = claim('a').then(() => order.push('decided'));

    // A wait inside the driver would stop these, and so the release, until the lock's deadline is over.
    await ticks(50);
    order.push('timers went on');
    holder.say('release');
    await deciding;

    expect(order).toEqual(['timers went on', 'decided']);
  });

  test('does not keep anybody from reading', async () => {
    ledger = openSqliteLedger(path, PATIENT);
    await claim('a');
    const holder = start('hold-lock', [path]);
    await holder.hear();
    const waiting = claim('b');

    expect(await ledger.read({})).toHaveLength(1);
    holder.say('release');
    await waiting;
  });

  test('past the deadline is LedgerUnavailable, nothing is appended, and the ledger goes on afterwards', async () => {
    ledger = openSqliteLedger(path, { lockWaitMs: 100 });
    await ledger.id();
    const holder = start('hold-lock', [path]);
    await holder.hear();
    const error = await unavailable(claim('a'));
    holder.say('release');
    expect(await holder.hear()).toBe('released');

    expect(error.message).toContain(`Cannot use the ledger at ${path}: another process keeps it locked.`);
    expect(error.cause).toMatchObject({ errcode: 5 });
    expect(await ledger.read({})).toEqual([]);
    expect(await claim('a')).toMatchObject({ answer: 'won' });
  });
});

test('a process that writes without a pause does not keep another one out', async () => {
  const busy = start('write-without-pause', [`sqlite:${path}`, '100']);
  await busy.hear();
  const intents = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
  for (const intent of intents) await claim(intent);

  expect((await ledger.read({ run: 'run-1' })).filter(({ key }) => intents.includes(key.intent))).toHaveLength(8);
});

test.each<[string, () => Promise<unknown>]>([
  ['readings', () => ledger.counter('t1')],
  ['decisions', () => claim('a')],
])('a hundred %s at once leave room for timers', async (_, call) => {
  await ledger.id();
  let turns = 0;
  const count = () => (turns++, (immediate = setImmediate(count)));
  let immediate = setImmediate(count);
  await Promise.all(Array.from({ length: 100 }, call));
  clearImmediate(immediate);

  expect(turns).toBeGreaterThan(50);
});

const REST = 'namespace, scope, intent, run, execution, call, tool, generation, at, kind, statement';

describe('records are append-only for everybody', () => {
  test.each([
    [`UPDATE records SET statement = '{}'`],
    [`UPDATE records SET counter = 7 WHERE counter = 2`],
    [`DELETE FROM records WHERE counter = 2`],
    [`INSERT OR REPLACE INTO records SELECT 10, task, counter, ${REST} FROM records WHERE counter = 1`],
    [`INSERT OR REPLACE INTO records SELECT 1, task, 3, ${REST} FROM records WHERE counter = 1`],
    [`INSERT INTO records SELECT 10, task, 4, ${REST} FROM records WHERE counter = 1`],
    [`UPDATE meta SET id = 'another'`],
    [`DELETE FROM meta`],
  ])('%s is refused', async (statement) => {
    await claim('a');
    await claim('b');
    const before = await ledger.read({});
    const database = new DatabaseSync(path);

    expect(() => database.exec(statement)).toThrow(/append-only|never changes/);
    database.close();
    expect(await ledger.read({})).toEqual(before);
  });
});
