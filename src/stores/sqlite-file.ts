import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { makeConnection, type ConnectionOptions, type SqliteConnection } from './sqlite-connection.ts';
import type { SqliteHandle } from './sqlite-handle.ts';
import { tryUntil } from './sqlite-retry.ts';
import { inTransaction } from './sqlite-transaction.ts';
import { explainTrouble, SqliteTrouble } from './sqlite-trouble.ts';
import { makeTurns, type Turns } from './turns.ts';

/**
 * A database file shared by several processes. Opened by the first call, and again after trouble. No call blocks the event
 * loop while somebody else holds the lock: it tries again until `lockWaitMs` is over.
 */
export interface SqliteFile {
  id(): Promise<string>;
  /** Runs `work` in a write transaction; undone when it throws. `work` may run more than once. */
  write<T>(work: (database: DatabaseSync) => T): Promise<T>;
  /** Runs `work`, one SELECT, beside the writers. Undefined when there is no file and this one makes none. */
  read<T>(work: (database: DatabaseSync) => T): Promise<T | undefined>;
  close(): Promise<void>;
}

export interface SqliteFileOptions extends ConnectionOptions {
  /** For messages: `ledger`. */
  readonly name: string;
  readonly lockWaitMs: number;
  /** False for those who only look: a file that is not there is not made. Default true. */
  readonly creates?: boolean;
  /** Makes the error that the store's port promises. */
  readonly unavailable: (message: string, options: ErrorOptions) => Error;
}

/**
 * SQLite has no queue for its lock: who writes without a pause keeps all others out for seconds (measured, with a disk that
 * takes 30 ms). In a rest of this length most of those who wait, and knock every 1 to 6 ms, come in.
 */
const WRITE_REST_MS = 2;

/** Touches no file until the first call. */
export function openSqliteFile(options: SqliteFileOptions): SqliteFile {
  const path = resolve(options.path);
  const connection = makeConnection({ ...options, path });
  const writing = makeTurns(WRITE_REST_MS);
  const reading = makeTurns();
  let closed = false;

  async function enter<T>(turns: Turns, whenAbsent: () => T, attempt: (handle: SqliteHandle) => T): Promise<T> {
    try {
      if (closed) throw new SqliteTrouble('it was closed. Open it again');
      if (options.creates === false && !existsSync(path)) return whenAbsent();
      const deadline = performance.now() + options.lockWaitMs;
      return await turns(() => tryUntil(deadline, () => connection.use(attempt)));
    } catch (error) {
      throw named(error, { ...options, path });
    }
  }

  return {
    id: () => enter(reading, refuseAbsent, (handle) => readIn(handle, connection, () => handle.id)),
    read: (work) => enter(reading, nothing, (handle) => readIn(handle, connection, work)),
    write: (work) => enter(writing, refuseAbsent, (handle) => writeIn(handle, connection, work)),
    async close() {
      closed = true;
      await writing(() => reading(async () => connection.drop()));
    },
  };
}

const nothing = () => undefined;

function refuseAbsent(): never {
  throw new SqliteTrouble('there is none. A worker makes it');
}

function readIn<T>(handle: SqliteHandle, connection: SqliteConnection, work: (database: DatabaseSync) => T): T {
  const result = work(handle.database);
  connection.checkPlace(handle);
  return result;
}

function writeIn<T>(handle: SqliteHandle, connection: SqliteConnection, work: (database: DatabaseSync) => T): T {
  return inTransaction(handle.database, () => readIn(handle, connection, work));
}

/** The store's trouble as the error its port promises; a bug in the work that was given stays what it is. */
function named(error: unknown, { name, path, unavailable }: SqliteFileOptions): unknown {
  const why = explainTrouble(error);
  return why === undefined ? error : unavailable(`Cannot use the ${name} at ${path}: ${why}.`, { cause: error });
}
