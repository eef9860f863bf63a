import type { PostgresAddress } from './postgres-address.ts';
import { makePool } from './postgres-pool.ts';
import { tryUntil } from './postgres-retry.ts';
import { meetStore, type PostgresPlace } from './postgres-schema.ts';
import type { PostgresSession } from './postgres-session.ts';
import { inTransaction } from './postgres-transaction.ts';
import { PostgresTrouble } from './postgres-trouble.ts';

/**
 * Tables of one schema, shared by workers of many machines. Reached by the first call, and again after trouble: a call tries
 * until `lockWaitMs` is over, so that a server that restarts, or fails over, is waited for.
 */
export interface PostgresStore {
  id(): Promise<string>;
  /** Runs `work` in a transaction, behind the lock that the statement `lock` takes; undone when it throws. It may run more than once. */
  write<T>(lock: string, work: (session: PostgresSession) => Promise<T>): Promise<T>;
  /** Runs `work`, one SELECT, beside the writers. Undefined when there is no store and this one makes none. */
  read<T>(work: (session: PostgresSession) => Promise<T>): Promise<T | undefined>;
  close(): Promise<void>;
}

export interface PostgresStoreOptions extends PostgresPlace {
  readonly address: PostgresAddress;
  /** For messages: `ledger`. */
  readonly title: string;
  /** How long a call waits for the server and for locks of others. It answers, or throws, half a second later at most. */
  readonly lockWaitMs: number;
  /** Makes the error that the store's port promises. */
  readonly unavailable: (message: string, options: ErrorOptions) => Error;
}

/** Touches no server until the first call, and from then on keeps to the store that it met. */
export function openPostgresStore(options: PostgresStoreOptions): PostgresStore {
  const pool = makePool(options.address.connection, options.lockWaitMs);
  const underWay = new Set<Promise<unknown>>();
  let expectedId: string | undefined;
  let isClosed = false;

  async function transact<T>(lock: string | undefined, work: (session: PostgresSession) => Promise<T>) {
    if (isClosed) throw new PostgresTrouble('it was closed. Open it again');
    const deadline = performance.now() + options.lockWaitMs;
    return tryUntil(deadline, () =>
      pool.use(deadline, async (session) => {
        expectedId ??= (await meetStore(session, options))?.id;
        if (expectedId === undefined) return undefined;
        const lockWaitMs = deadline - performance.now();
        return inTransaction(session, { place: options, expectedId, lock, lockWaitMs }, () => work(session));
      }),
    );
  }

  async function enter<T>(lock: string | undefined, work: (session: PostgresSession) => Promise<T>) {
    const call = transact(lock, work);
    underWay.add(call);
    try {
      return await call;
    } catch (error) {
      throw named(error, options);
    } finally {
      underWay.delete(call);
    }
  }

  async function need<T>(lock: string | undefined, work: (session: PostgresSession) => Promise<T>): Promise<T> {
    // In a box, so that a store that is not there can be told from nothing.
    const done = await enter(lock, async (session) => ({ value: await work(session) }));
    if (done === undefined) throw named(new PostgresTrouble('there is none. A worker makes it'), options);
    return done.value;
  }

  return {
    id: () => need(undefined, () => Promise.resolve(expectedId ?? '')),
    write: need,
    read: (work) => enter(undefined, work),
    async close() {
      isClosed = true;
      await Promise.allSettled(underWay);
      await pool.close();
    },
  };
}

/** The store's trouble as the error its port promises; a bug in the work that was given stays what it is. */
function named(error: unknown, { address, title, unavailable }: PostgresStoreOptions): unknown {
  if (!(error instanceof PostgresTrouble)) return error;
  return unavailable(`Cannot use the ${title} at ${address.label}: ${error.message}.`, {
    cause: error.cause ?? error,
  });
}
