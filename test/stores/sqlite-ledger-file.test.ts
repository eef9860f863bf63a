import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { existsSync, renameSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Ledger } from '../../src/contracts/ledger.ts';
import { openSqliteLedger } from '../../src/stores/sqlite-ledger.ts';
import { useChildren } from './child.ts';
import { claimed, claimOnce, keyOf } from './ledger-entries.ts';
import { makeFolder, removeFolder } from './store-folder.ts';
import { unavailable } from './unavailable.ts';

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

describe('those who only look', () => {
  test('make no ledger, and find nothing in one that is not there', async () => {
    const looking = openSqliteLedger(path, { creates: false });
    expect(await looking.read({})).toEqual([]);
    expect(await looking.counter('t1')).toBe(0);
    const error = await unavailable(looking.decide(keyOf('a'), claimOnce('a', 'test')));
    expect(error.message).toContain('A worker makes it');
    await looking.close();
    expect(existsSync(path)).toBe(false);
  });

  test('see what is there', async () => {
    await claim('a');
    const looking = openSqliteLedger(path, { creates: false });
    expect(await looking.read({})).toHaveLength(1);
    await looking.close();
  });
});

describe('a file that is not what it was', () => {
  test('moved away from its log: nobody begins a new one beside it', async () => {
    await claim('a');
    renameSync(path, `${path}.away`);
    const other = openSqliteLedger(path);
    const error = await unavailable(other.id());
    await other.close();
    expect(error.message).toContain('ledger.db-wal is there');
    renameSync(`${path}.away`, path);
    expect(await ledger.read({})).toHaveLength(1);
  });

  test('removed: nothing is written to the unlinked file, and no new ledger is begun', async () => {
    await claim('a');
    await removeDatabase(path);
    const error = await unavailable(claim('b'));

    expect(error.message).toContain('its file was removed while in use. Restore it (id ');
    expect(existsSync(path)).toBe(false);
  });

  test('removed and brought back: the ledger goes on', async () => {
    await claim('a');
    await rename(path, join(folder, 'aside.db'));
    await unavailable(claim('b'));
    await rename(join(folder, 'aside.db'), path);

    expect(await claim('a')).toMatchObject({ answer: 'lost' });
    expect(await claim('b')).toMatchObject({ answer: 'won' });
  });

  test('removed in the middle of a decision: it is not committed', async () => {
    await ledger.id();
    const deciding = ledger.decide(keyOf('a'), () => {
      renameSync(path, join(folder, 'aside.db'));
      return { append: [claimed({ key: keyOf('a') })], answer: null };
    });
    await unavailable(deciding);
    await rename(join(folder, 'aside.db'), path);

    expect(await ledger.read({})).toEqual([]);
  });

  test('replaced by another ledger: nothing is read from it or written to it', async () => {
    await claim('a');
    const id = await ledger.id();
    await removeDatabase(path);
    const other = openSqliteLedger(path);
    const otherId = await other.id();
    const error = await unavailable(claim('a'));

    expect(error.message).toContain(`replaced while in use by another one (id ${otherId}, expected ${id})`);
    await unavailable(ledger.id());
    expect(await other.read({})).toEqual([]);
    await other.close();
  });

  test('replaced by a copy of the same ledger: the ledger goes on with the copy', async () => {
    await claim('a');
    const database = new DatabaseSync(path);
    database.exec(`VACUUM INTO '${join(folder, 'copy.db')}'`);
    database.close();
    await removeDatabase(path);
    await rename(join(folder, 'copy.db'), path);

    expect(await claim('a')).toMatchObject({ answer: 'lost' });
    expect(await claim('b')).toMatchObject({ answer: 'won' });
    const written = new DatabaseSync(path, { readOnly: true });
    expect(written.prepare('SELECT count(*) AS count FROM records').get()).toMatchObject({ count: 2 });
    written.close();
  });
});

describe('a store that cannot serve is LedgerUnavailable with its cause', () => {
  test('newer schema', async () => {
    await ledger.id();
    await ledger.close();
    const database = new DatabaseSync(path);
    database.exec('UPDATE meta SET version = 99');
    database.close();
    ledger = openSqliteLedger(path);
    const error = await unavailable(ledger.id());

    expect(error.message).toContain(
      'it has schema version 99, and this holdfast knows versions up to 1. Upgrade holdfast',
    );
  });

  test('not a database', async () => {
    await writeFile(path, 'these are notes, not a database, and long enough to be read as a header'.repeat(20));
    const error = await unavailable(claim('a'));

    expect(error.message).toContain('not an SQLite database');
    expect(error.cause).toMatchObject({ errcode: 26 });
  });

  test('a database of another program, which stays untouched', async () => {
    const database = new DatabaseSync(path);
    database.exec('CREATE TABLE notes (text)');
    const error = await unavailable(claim('a'));

    expect(error.message).toContain('the database belongs to another program');
    expect(database.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'delete' });
    expect(database.prepare('SELECT name FROM sqlite_schema').all()).toEqual([{ name: 'notes' }]);
    database.close();
  });

  test('a folder that cannot be made', async () => {
    await writeFile(join(folder, 'file'), '');
    ledger = openSqliteLedger(join(folder, 'file', 'ledger.db'));
    const error = await unavailable(claim('a'));

    expect(error.cause).toMatchObject({ syscall: 'mkdir' });
  });

  test('a path that is a folder', async () => {
    ledger = openSqliteLedger(folder);
    const error = await unavailable(claim('a'));

    expect(error.message).toContain('the file cannot be opened');
  });

  test('a full disk: what was acknowledged stays, and reading goes on', async () => {
    const filler = start('fill-disk', [`sqlite:${path}`, 't1'], { fileLimit: 4_000 });
    const told = (await filler.hear()) as { name: string; message: string; acknowledged: number; counter: number };

    expect(told.name).toBe('LedgerUnavailable');
    expect(told.message).toMatch(/: the disk (is full|failed to read or write)\. /);
    expect(told.acknowledged).toBeGreaterThan(0);
    expect(told.counter).toBe(told.acknowledged);
    expect(await ledger.read({ task: 't1' })).toHaveLength(told.acknowledged);
  });
});

async function removeDatabase(file: string): Promise<void> {
  await Promise.all(['', '-wal', '-shm'].map((suffix) => rm(`${file}${suffix}`, { force: true })));
}
