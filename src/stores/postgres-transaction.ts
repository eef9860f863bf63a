import { refuseNewer, selectMeta, toMeta, type PostgresPlace } from './postgres-schema.ts';
import { rollBack, type PostgresSession } from './postgres-session.ts';
import { PostgresTrouble } from './postgres-trouble.ts';

export interface TransactionOptions {
  readonly place: PostgresPlace;
  /** The id the store had when it was first met. */
  readonly expectedId: string;
  /** How long each lock is waited for. */
  readonly lockWaitMs: number;
  /** The statement that takes the lock a writer needs before it reads. Absent: nothing is written. */
  readonly lock?: string;
}

/** The answer to COMMIT was lost: what was written stands, or does not. */
export class CommitInDoubt extends PostgresTrouble {}

/** Runs `work` in a transaction of the store that is expected. When anything throws, all of it is undone and the error passed on. */
export async function inTransaction<T>(
  session: PostgresSession,
  options: TransactionOptions,
  work: () => Promise<T>,
): Promise<T> {
  try {
    await begin(session, options);
    const result = await work();
    await commit(session);
    return result;
  } catch (error) {
    await rollBack(session, error);
    throw error;
  }
}

/** How much longer a statement may take that waits for no lock, and a transaction in which nobody asks anything. */
const GRACE_MS = 250;
const IDLE_MS = 5_000;

async function begin(session: PostgresSession, { place, expectedId, lockWaitMs, lock }: TransactionOptions) {
  const waitMs = Math.max(1, Math.ceil(lockWaitMs));
  const rows = await session.ask(
    [
      // By name: with another default, a decision would see what was there before it had the lock.
      `BEGIN ISOLATION LEVEL READ COMMITTED`,
      `SET LOCAL lock_timeout = ${waitMs}`,
      `SET LOCAL statement_timeout = ${waitMs + GRACE_MS}`,
      // A machine that vanished would else keep its locks for hours.
      `SET LOCAL idle_in_transaction_session_timeout = ${IDLE_MS}`,
      // An acknowledged claim survives a power cut, whatever the database's default.
      `SET LOCAL synchronous_commit = on`,
      ...(lock === undefined ? [] : [lock]),
      selectMeta(place),
    ].join('; '),
  );
  const meta = toMeta(rows);
  if (meta?.id !== expectedId) throw otherStore(expectedId, meta?.id);
  refuseNewer(meta, place.schema);
  if (lock !== undefined && rows[0]?.read_only === 'on') throw readOnly();
}

async function commit(session: PostgresSession): Promise<void> {
  try {
    await session.ask('COMMIT');
  } catch (error) {
    // What the server itself refuses, it has undone.
    if (!(error instanceof PostgresTrouble) || error.isSound) throw error;
    throw new CommitInDoubt(
      `the connection was lost in a commit, so what was being written may stand. Read before it is written again (${error.message})`,
      error,
    );
  }
}

const otherStore = (expected: string, found = 'none') =>
  new PostgresTrouble(
    `it was replaced while in use by another one (id ${found}, expected ${expected}). Restore it, or restart the workers`,
  );

/** A replica may lag behind: nothing is decided by what it shows. */
const readOnly = () =>
  new PostgresTrouble('the server is read-only: a replica, or one that fails over. Name the primary', {
    passes: true,
    isSound: false,
  });
