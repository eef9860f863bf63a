import { DatabaseSync } from 'node:sqlite';
import { waitUntil } from './wait-until.ts';

const WAIT_MS = 30_000;

/**
 * Runs `work` while no other process runs its own under the same file. An SQLite lock and not a file that means "taken":
 * the system gives it back when its holder dies, however it dies.
 */
export async function takeTurn<Result>(file: string, work: () => Promise<Result>): Promise<Result> {
  const guard = new DatabaseSync(file, { timeout: 0 });
  try {
    const mine = await waitUntil(() => Promise.resolve(tryToLock(guard)), { withinMs: WAIT_MS });
    if (!mine) throw new Error(`Cannot lock ${file}: another process has held it for ${WAIT_MS / 1000} s.`);
    return await work();
  } finally {
    guard.close();
  }
}

function tryToLock(guard: DatabaseSync): boolean {
  try {
    guard.exec('BEGIN EXCLUSIVE');
    return true;
  } catch (error) {
    if ((error as Error).message.includes('locked')) return false;
    throw error;
  }
}
