import type { Pool } from 'pg';
import { LAST_WORD_MS, withSession, type PostgresSession } from './postgres-session.ts';

/** Connections to one database, opened when they are needed. It outlives the server: a lost connection is replaced. */
export interface PostgresPool {
  /** Lends one connection to `work`, at most until `deadline` of `performance.now()`. @throws PostgresTrouble, or what `work` throws. */
  use<T>(deadline: number, work: (session: PostgresSession) => Promise<T>): Promise<T>;
  /** To be called when nobody uses it any more. */
  close(): Promise<void>;
}

/** Four suffice for a thousand claims a second. With ledger and events there, a server with its usual 100 has room for 12 workers. */
const MAX_CONNECTIONS = 4;

/** `connection`: the driver's address. `waitMs`: when to give up a connection that does not come about. */
export function makePool(connection: string, waitMs: number): PostgresPool {
  let pool: Promise<Pool> | undefined;
  return {
    use: async (deadline, work) => withSession(await (pool ??= loadPool(connection, waitMs)), deadline, work),
    async close() {
      const closing = pool;
      pool = undefined;
      await (await closing)?.end();
    },
  };
}

async function loadPool(connectionString: string, waitMs: number): Promise<Pool> {
  const { Pool } = await import('pg');
  const pool = new Pool({
    connectionString,
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: waitMs + LAST_WORD_MS,
    keepAlive: true,
    // Like an open file, an open store keeps no process alive.
    allowExitOnIdle: true,
    application_name: 'holdfast',
  });
  // Lost connections, idle or between two statements, are met again by the next statement; unheard they end the process.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}
