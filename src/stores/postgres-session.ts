import type { Pool, PoolClient, QueryResult } from 'pg';
import { OutOfTime, PostgresTrouble, toTrouble } from './postgres-trouble.ts';

export type PostgresRow = Readonly<Record<string, unknown>>;

/** One connection, in one pair of hands. */
export interface PostgresSession {
  /** Asks the server, and gives the rows of the last statement. Only one statement can have values. @throws PostgresTrouble */
  ask(statements: string, values?: readonly unknown[]): Promise<readonly PostgresRow[]>;
}

/** How long after the deadline a server may still say for itself that it took too long. */
export const LAST_WORD_MS = 500;

/**
 * Lends a connection of the pool to `work`. What is unanswered at `deadline` (of `performance.now()`) ends with the
 * connection: a server that fell silent would else be waited for without end.
 */
export async function withSession<T>(
  pool: Pool,
  deadline: number,
  work: (session: PostgresSession) => Promise<T>,
): Promise<T> {
  const client = await takeClient(pool, deadline);
  let isSound = true;
  let isLent = true;
  const giveBack = (destroys: boolean) => {
    if (isLent) client.release(destroys);
    isLent = false;
  };
  const limit = setTimeout(() => giveBack(true), Math.max(0, deadline - performance.now()) + LAST_WORD_MS);

  async function ask(statements: string, values?: readonly unknown[]): Promise<readonly PostgresRow[]> {
    try {
      return rowsOf(await client.query(statements, values && [...values]));
    } catch (error) {
      if (!isLent) throw new OutOfTime({ cause: error });
      throw toTrouble(error);
    }
  }

  try {
    return await work({ ask });
  } catch (error) {
    isSound = !(error instanceof PostgresTrouble) || error.isSound;
    throw error;
  } finally {
    clearTimeout(limit);
    giveBack(!isSound);
  }
}

/** Undoes a transaction that met `error`. On a connection that is given up the server does it. */
export async function rollBack(session: PostgresSession, error: unknown): Promise<void> {
  if (error instanceof PostgresTrouble && !error.isSound) return;
  await session.ask('ROLLBACK');
}

async function takeClient(pool: Pool, deadline: number): Promise<PoolClient> {
  const connecting = connect(pool);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, Math.max(1, deadline - performance.now()), undefined);
  });
  const client = await Promise.race([connecting, late]).finally(() => clearTimeout(timer));
  if (client !== undefined) return client;
  // It may come after all; then it is the pool's.
  connecting.then((unused) => unused.release()).catch(() => undefined);
  throw new OutOfTime();
}

async function connect(pool: Pool): Promise<PoolClient> {
  try {
    return await pool.connect();
  } catch (error) {
    throw toTrouble(error);
  }
}

// By its shape: for several statements the driver gives an array, and its types do not say so.
function rowsOf(result: QueryResult<PostgresRow> | readonly QueryResult<PostgresRow>[]): readonly PostgresRow[] {
  const last = Array.isArray(result) ? (result.at(-1) as QueryResult<PostgresRow> | undefined) : result;
  return (last as QueryResult<PostgresRow> | undefined)?.rows ?? [];
}
