import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { Ledger } from '../../src/contracts/ledger.ts';
import { openLedger } from '../../src/stores/open-stores.ts';
import { useChildren } from './child.ts';
import { ledgerContract } from './ledger-contract.ts';
import { claimed, claimOnce, keyOf } from './ledger-entries.ts';
import { usePostgres } from './postgres-server.ts';
import type { StorePlace } from './store-folder.ts';

const server = usePostgres();
ledgerContract('postgres', () => server.makePlace());

const start = useChildren();
let place: StorePlace;
let schema: string;
let ledger: Ledger;

beforeEach(async () => {
  place = await server.makePlace();
  schema = new URL(place.address).searchParams.get('schema')!;
  ledger = openLedger(place.address);
});

afterEach(async () => {
  await ledger.close();
  await place.remove();
});

const claim = (intent: string) => ledger.decide(keyOf(intent), claimOnce(intent, 'test'));
const countTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);
const countersOf = async (task: string) => (await ledger.read({ task })).map(({ counter }) => counter);

/** Runs `work` with as many ledgers at this place as are asked for, each with connections of its own. */
async function withLedgers(address: string, count: number, work: (one: Ledger, index: number) => Promise<unknown>) {
  const ledgers = Array.from({ length: count }, () => openLedger(address));
  await Promise.all(ledgers.map(work));
  await Promise.all(ledgers.map((one) => one.close()));
}

describe('writers at once', () => {
  test('a task counts without a gap over eight ledgers that append under keys of their own', async () => {
    await withLedgers(place.address, 8, async (one, index) => {
      for (const turn of countTo(50)) {
        const key = keyOf(`${index}/${turn}`);
        await one.decide(key, () => ({ append: [claimed({ key })], answer: null }));
      }
    });

    expect(await countersOf('t1')).toEqual(countTo(400));
  });

  test('decisions that write to the same tasks in different orders never wait for each other in a circle', async () => {
    const tasks = ['t1', 't2', 't3', 't4'];
    await withLedgers(place.address, 8, async (one, index) => {
      const mine = index % 2 === 0 ? tasks : tasks.toReversed();
      for (const turn of countTo(20)) {
        const key = keyOf(`${index}/${turn}`);
        await one.decide(key, () => ({ append: mine.map((task) => claimed({ key, task })), answer: null }));
      }
    });

    for (const task of tasks) expect(await countersOf(task)).toEqual(countTo(160));
    expect(await server.sql(`SELECT deadlocks FROM pg_stat_database WHERE datname = 'postgres'`)).toEqual([
      { deadlocks: '0' },
    ]);
  });

  test.each(['repeatable read', 'serializable'])('a default isolation of %s changes nothing', async (isolation) => {
    const user = await makeUser(`ALTER ROLE USER SET default_transaction_isolation = '${isolation}'`);
    const answers: string[] = [];
    await withLedgers(user.address, 8, async (one, index) => {
      answers.push((await one.decide(keyOf('a'), claimOnce('a', `holder-${index}`))).answer);
      await one.decide(keyOf(`own-${index}`), claimOnce(`own-${index}`, 'worker'));
    });

    expect(answers.filter((answer) => answer === 'won')).toHaveLength(1);
    expect(await countersOf('t1')).toEqual(countTo(9));
    await user.remove();
  });

  test('of many that meet where there is no ledger, one makes it', async () => {
    const ids = new Set<string>();
    await withLedgers(place.address, 12, async (one) => ids.add(await one.id()));

    expect(ids.size).toBe(1);
  });

  test('a process that dies in the middle of a decision leaves nothing, and nothing locked', async () => {
    const dying = start('die-deciding', [place.address, 'a']);
    expect(await dying.hear()).toBe(await ledger.id());
    await expect(dying.hear()).rejects.toThrow('ended without a word');

    expect(await claim('a')).toMatchObject({ answer: 'won' });
    expect(await countersOf('t1')).toEqual([1]);
  });
});

test('a decision that throws leaves nothing locked', async () => {
  const failing = ledger.decide(keyOf('a'), () => {
    throw new Error('a bug in the decision');
  });
  await expect(failing).rejects.toThrow('a bug in the decision');

  await withLedgers(place.address, 1, async (other) => {
    expect(await other.decide(keyOf('a'), claimOnce('a', 'other'))).toMatchObject({ answer: 'won' });
  });
});

test('a claim survives a power cut, and a writer that vanished keeps no lock, whatever the defaults of the database', async () => {
  const user = await makeUser('ALTER ROLE USER SET synchronous_commit = off');
  await server.sql(`
    CREATE TABLE ${schema}.seen (commits TEXT, idle TEXT);
    CREATE FUNCTION ${schema}.see() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN
      INSERT INTO ${schema}.seen SELECT current_setting('synchronous_commit'),
        current_setting('idle_in_transaction_session_timeout');
      RETURN NULL; END $$;
    CREATE TRIGGER see AFTER INSERT ON ${schema}.records FOR EACH ROW EXECUTE FUNCTION ${schema}.see()`);
  await withLedgers(user.address, 1, (theirs) => theirs.decide(keyOf('a'), claimOnce('a', 'theirs')));

  expect(await server.sql(`SELECT * FROM ${schema}.seen`)).toEqual([{ commits: 'on', idle: '5s' }]);
  await user.remove();
});

test('several ledgers share a database and know nothing of each other', async () => {
  const other = await server.makePlace();
  await withLedgers(other.address, 1, async (theirs) => {
    await claim('a');
    expect(await theirs.decide(keyOf('a'), claimOnce('a', 'theirs'))).toMatchObject({ answer: 'won' });
    expect(await theirs.id()).not.toBe(await ledger.id());
  });
  await other.remove();
});

test('names that are longer than an index takes are kept apart', async () => {
  const long = Array.from({ length: 3_000 }, (_, index) => index.toString(36)).join('-');
  const entry = claimed({ key: keyOf(long), task: long, run: long, holder: long });
  await ledger.decide(entry.key, () => ({ append: [entry], answer: null }));

  expect(await ledger.read({ key: keyOf(long), task: long, run: long, unsettled: true })).toHaveLength(1);
  expect(await ledger.decide(keyOf(`${long}.`), claimOnce(`${long}.`, 'other'))).toMatchObject({ answer: 'won' });
});

test('closing waits for calls that are under way', async () => {
  const calls = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map(claim);
  await ledger.close();

  await expect(Promise.all(calls)).resolves.toHaveLength(8);
});

const COLUMNS =
  'task, counter, namespace, scope, intent, run, execution, call, tool, generation, at, kind, statement, key_digest, task_digest, run_digest, claim_digest, commit_id';
const copyWith = (counter: string) =>
  `INSERT INTO records (${COLUMNS}) SELECT ${COLUMNS.replace('counter', counter)} FROM records WHERE counter = 1`;

describe('records are append-only for everybody', () => {
  test.each([
    [`UPDATE records SET statement = '{}'`],
    [`UPDATE records SET counter = 7 WHERE counter = 2`],
    [`DELETE FROM records WHERE counter = 2`],
    [`TRUNCATE records`],
    [`SET session_replication_role = replica; DELETE FROM records`],
    [`MERGE INTO records USING (SELECT 1) AS one ON counter = 2 WHEN MATCHED THEN DELETE`],
    [copyWith('4')],
    [copyWith('1')],
    [`UPDATE meta SET id = 'another'`],
    [`DELETE FROM meta`],
    [`TRUNCATE meta`],
  ])('%s is refused', async (statement) => {
    await claim('a');
    await claim('b');
    const before = await ledger.read({});

    await expect(server.sql(`SET search_path TO ${schema}; ${statement}`)).rejects.toThrow(/append-only|never changes/);
    expect(await ledger.read({})).toEqual(before);
  });
});

/** A user who may do everything with this test's schema. `setting`: a statement about USER. */
async function makeUser(setting: string): Promise<StorePlace> {
  const name = `${schema}_user`;
  await ledger.id();
  await server.sql(`
    CREATE ROLE ${name} LOGIN PASSWORD 'theirs'; ${setting.replace('USER', name)};
    GRANT USAGE ON SCHEMA ${schema} TO ${name}; GRANT SELECT, INSERT ON ALL TABLES IN SCHEMA ${schema} TO ${name}`);
  const address = place.address.replace(/\/\/[^@]*@/, `//${name}:theirs@`);
  const remove = async () => {
    await server.sql(`DROP OWNED BY ${name}; DROP ROLE ${name}`);
  };
  return { address, remove };
}
