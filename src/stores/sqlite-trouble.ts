/** The store cannot serve, for a reason we found ourselves. The message is a clause that follows `Cannot use the … at …: `. */
export class SqliteTrouble extends Error {
  override readonly name = 'SqliteTrouble';
}

/** The open file is no longer the one at its path. Opening it again answers what became of it. */
export class SqliteMoved extends Error {
  override readonly name = 'SqliteMoved';
}

interface SqliteError extends Error {
  readonly errcode: number;
}

// Primary result codes, https://sqlite.org/rescode.html
const BUSY = 5;
const LOCKED = 6;
const ADVICE: Readonly<Record<number, string>> = Object.freeze({
  [BUSY]: 'another process keeps it locked. Find that process (lsof names it) or try again later',
  [LOCKED]: 'another statement keeps it locked. Try again later',
  8: 'it is read-only. Allow this user to write the file and its folder',
  10: 'the disk failed to read or write. Check the disk and its free space',
  11: 'the file is damaged. Restore it from a backup',
  13: 'the disk is full. Free some space',
  14: 'the file cannot be opened. Check that the path names a file, and that this user may write it and its folder',
  23: 'access was denied. Allow this user to write the file and its folder',
  26: 'the file is not an SQLite database. Name another path, or restore the file from a backup',
});

/** Somebody else holds the lock. */
export function isLock(error: unknown): boolean {
  return isSqliteError(error) && [BUSY, LOCKED].includes(primaryCode(error));
}

/** Trouble that may be over in a moment: a lock, or a file that was swapped. */
export function isPassing(error: unknown): boolean {
  return isLock(error) || error instanceof SqliteMoved;
}

/** What is wrong and what to do, or undefined when the error is not the store's (a bug in the work that was given). */
export function explainTrouble(error: unknown): string | undefined {
  if (error instanceof SqliteTrouble) return error.message;
  if (error instanceof SqliteMoved)
    return 'its file was replaced again and again. Let one process restore it, then try again';
  if (isSqliteError(error)) return explainSqlite(error);
  if (isSystemError(error)) return `${error.message}. Check that the folder exists or can be made, and may be written`;
  return undefined;
}

function explainSqlite(error: SqliteError): string {
  const advice = ADVICE[primaryCode(error)];
  return advice === undefined ? error.message : `${advice} (${error.message})`;
}

/** The low byte; the rest says more exactly which kind of busy, full or unreadable it is. */
const primaryCode = (error: SqliteError) => error.errcode & 0xff;

// By shape: an error of a driver may come from another realm than this module's `Error`.
const isSqliteError = (error: unknown): error is SqliteError =>
  hasField(error, 'code') && error.code === 'ERR_SQLITE_ERROR' && hasField(error, 'errcode');

const isSystemError = (error: unknown): error is Error => hasField(error, 'syscall');

function hasField<Name extends string>(value: unknown, name: Name): value is Record<Name, unknown> {
  return typeof value === 'object' && value !== null && name in value;
}
