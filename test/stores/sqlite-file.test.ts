import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openSqliteFile, type SqliteFile, type SqliteFileOptions } from '../../src/stores/sqlite-file.ts';
import { useChildren } from './child.ts';
import { makeFolder, removeFolder } from './store-folder.ts';

const ONE = 'CREATE TABLE notes (text TEXT);';
const TWO = `ALTER TABLE notes ADD COLUMN author TEXT DEFAULT 'nobody';`;

const start = useChildren();
let folder: string;
let path: string;
let files: SqliteFile[];

beforeEach(async () => {
  folder = await makeFolder();
  path = join(folder, 'notes.db');
  files = [];
});

afterEach(async () => {
  await Promise.all(files.map((file) => file.close()));
  await removeFolder(folder);
});

function open(migrations: readonly string[], options: Partial<SqliteFileOptions> = {}): SqliteFile {
  const file = openSqliteFile({
    name: 'notebook',
    path,
    schema: { holds: 'events', migrations },
    synchronous: 'NORMAL',
    lockWaitMs: 20_000,
    whenReplaced: 'follow',
    unavailable: (message, cause) => new Error(message, cause),
    ...options,
  });
  files.push(file);
  return file;
}

const note = (file: SqliteFile, text: string) =>
  file.write((database) => database.prepare('INSERT INTO notes (text) VALUES (?)').run(text));
const notes = async (file: SqliteFile) =>
  (await file.read((database) => database.prepare('SELECT * FROM notes').all())) ?? [];

describe('migrations', () => {
  test('bring a database of an older version up, with what it holds and under its id', async () => {
    const old = open([ONE]);
    await note(old, 'kept');
    const current = open([ONE, TWO]);

    expect(await notes(current)).toEqual([{ text: 'kept', author: 'nobody' }]);
    expect(await current.id()).toBe(await old.id());
  });

  test('run once, however many open the database at the same moment', async () => {
    await note(open([ONE]), 'kept');
    const many = Array.from({ length: 8 }, () => open([ONE, TWO]));

    const ids = await Promise.all(many.map((file) => file.id()));
    expect(new Set(ids).size).toBe(1);
  });

  test('that fail leave the database as it was', async () => {
    const old = open([ONE]);
    await note(old, 'kept');

    await expect(open([ONE, `${TWO} CREATE TABLE notes (text);`]).id()).rejects.toThrow('already exists');
    expect(await notes(open([ONE]))).toEqual([{ text: 'kept' }]);
  });

  test('of a newer version are refused by older code', async () => {
    await open([ONE, TWO]).id();

    await expect(open([ONE]).id()).rejects.toThrow(
      `Cannot use the notebook at ${path}: it has schema version 2, and this holdfast knows versions up to 1. Upgrade holdfast.`,
    );
  });
});

test('a database that holds something else is refused', async () => {
  await open([ONE]).id();

  await expect(open([ONE], { schema: { holds: 'ledger', migrations: [ONE] } }).id()).rejects.toThrow(
    'the file holds "events", not "ledger". Give each store a file of its own',
  );
});

test('a removed file is begun anew by a store that may', async () => {
  const file = open([ONE]);
  await note(file, 'lost');
  await rm(path);
  await note(file, 'new');

  expect(await notes(file)).toEqual([{ text: 'new' }]);
});

test('calls in one process take their turns in the order they came, also after a lock', async () => {
  const file = open([ONE]);
  await file.id();
  const holder = start('hold-lock', [path]);
  await holder.hear();
  const texts = Array.from({ length: 20 }, (_, index) => `note ${index}`);
  const written = Promise.all(texts.map((text) => note(file, text)));
  holder.say('release');
  await written;

  expect((await notes(file)).map((row) => row.text)).toEqual(texts);
});

test('closing waits for the calls that were made before it, and leaves no file open', async () => {
  const file = open([ONE]);
  const written = note(file, 'in time');
  await file.close();

  await expect(written).resolves.toBeDefined();
  // The last one to close a database folds this file into it.
  expect(existsSync(`${path}-wal`)).toBe(false);
});

test.each([
  ['FULL', 2],
  ['NORMAL', 1],
] as const)('a commit reaches the disk as asked for: %s', async (synchronous, level) => {
  const file = open([ONE], { synchronous });

  expect(await file.read((database) => database.prepare('PRAGMA synchronous').get())).toEqual({ synchronous: level });
});
