import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { migrate, readMeta, type SqliteSchema } from './sqlite-schema.ts';
import { SqliteTrouble } from './sqlite-trouble.ts';

/** An open database, and which file it is. */
export interface SqliteHandle {
  readonly database: DatabaseSync;
  readonly id: string;
  readonly inode: string;
}

export interface HandleOptions {
  readonly path: string;
  readonly schema: SqliteSchema;
  /** FULL: a commit survives a power cut. NORMAL: it survives a crash of the process. */
  readonly synchronous: 'FULL' | 'NORMAL';
  /** Accept only the database with this id, and create nothing. Undefined: whatever is there, created when missing. */
  readonly expectedId: string | undefined;
  /** A store that refuses to be replaced is not begun anew beside the log of a file that was moved away. */
  readonly whenReplaced: 'refuse' | 'follow';
}

/** Opens, creates or updates a database. @throws SqliteTrouble, or what SQLite or the file system throws. */
export function openHandle(options: HandleOptions): SqliteHandle {
  const database = openFile(options);
  try {
    const id = prepare(database, options);
    return { database, id, inode: readInode(options.path) ?? 'gone' };
  } catch (error) {
    database.close();
    throw error;
  }
}

/** SQLite goes on writing to a file that was deleted or replaced under it, and nobody would ever read that. */
export function isStillInPlace(handle: SqliteHandle, path: string): boolean {
  return readInode(path) === handle.inode;
}

function openFile({ path, expectedId, whenReplaced }: HandleOptions): DatabaseSync {
  // The driver waits for locks synchronously, which would stop heartbeats: no waiting here.
  if (expectedId !== undefined) return new DatabaseSync(existing(path, expectedId), { timeout: 0 });
  if (whenReplaced === 'refuse') refuseOrphanedLog(path);
  mkdirSync(dirname(path), { recursive: true });
  return new DatabaseSync(path, { timeout: 0 });
}

/** A new file beside the log of an old one would destroy what only the log still holds. */
function refuseOrphanedLog(path: string): void {
  if (readInode(path) !== undefined || readInode(`${path}-wal`) === undefined) return;
  throw new SqliteTrouble(
    `its file is missing, but its log ${path}-wal is there. Put the file back; or, to begin anew, move the log away too`,
  );
}

function existing(path: string, id: string): URL {
  if (readInode(path) === undefined) {
    throw new SqliteTrouble(
      `its file was removed while in use. Restore it (id ${id}), or restart the workers to begin a new one`,
    );
  }
  const url = pathToFileURL(path);
  url.searchParams.set('mode', 'rw');
  return url;
}

function prepare(database: DatabaseSync, { schema, synchronous, expectedId }: HandleOptions): string {
  // Looked at before anything is changed: the path may name a database of somebody else.
  const found = readMeta(database, schema);
  if (expectedId !== undefined && found?.id !== expectedId) throw otherStore(expectedId, found?.id);
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${synchronous};`);
  return found?.version === schema.migrations.length ? found.id : migrate(database, schema).id;
}

const otherStore = (expected: string, found = 'none') =>
  new SqliteTrouble(
    `its file was replaced while in use by another one (id ${found}, expected ${expected}). Restore it, or restart the workers`,
  );

function readInode(path: string): string | undefined {
  const file = statSync(path, { bigint: true, throwIfNoEntry: false });
  return file && `${file.dev}:${file.ino}`;
}
