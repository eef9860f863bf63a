import type { DatabaseSync } from 'node:sqlite';

/** Runs `work` in a write transaction. When anything throws, all of it is undone and the error passed on. */
export function inTransaction<T>(database: DatabaseSync, work: () => T): T {
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    // SQLite itself may have rolled back already, for example on a full disk.
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}
