import type { DatabaseSync } from 'node:sqlite';

/** Runs `work` in a write transaction. All of it is undone when it throws, and when it calls `undo`. */
export function inTransaction<Answer>(database: DatabaseSync, work: (undo: () => void) => Answer): Answer {
  let isUndone = false;
  database.exec('BEGIN IMMEDIATE');
  try {
    const answer = work(() => void (isUndone = true));
    database.exec(isUndone ? 'ROLLBACK' : 'COMMIT');
    return answer;
  } catch (error) {
    // SQLite itself may have rolled back already, for example on a full disk.
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}
