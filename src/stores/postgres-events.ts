import { randomUUID } from 'node:crypto';
import type { EventStore } from '../contracts/event-store.ts';
import type { RunEvent } from '../contracts/events.ts';
import { awaitEvents } from './await-events.ts';
import { READ_LIMIT } from './event-rows.ts';
import { LOCK_WAIT_MS } from './lock-wait.ts';
import type { PostgresAddress } from './postgres-address.ts';
import {
  hasCommitted,
  insertEvents,
  selectEvents,
  selectHeads,
  selectNewest,
  selectNewestPiece,
  type EventsOf,
} from './postgres-event-rows.ts';
import { EVENTS_SCHEMA } from './postgres-events-schema.ts';
import { digestOfRun, lockFirst } from './postgres-locks.ts';
import { openPostgresStore } from './postgres-store.ts';

export interface PostgresEventsOptions {
  /** How long a call waits for the server and for locks before it fails. Default 4,000 ms. */
  readonly lockWaitMs?: number;
  /** False for those who only look: a store that is not there is empty to them, and is not made. Default true. */
  readonly creates?: boolean;
}

/**
 * Events of runs in one schema of a PostgreSQL database, which may be that of the ledger, for workers and clients of all
 * machines. Schema and tables are made by the first call. Who writes to a run keeps other writers of that run waiting until
 * the commit, so an offset is seen only after all before it. What is acknowledged survives a crash of the server.
 */
export function openPostgresEvents(address: PostgresAddress, options: PostgresEventsOptions = {}): EventStore {
  const { schema } = address;
  const store = openPostgresStore({
    address,
    title: 'event store',
    name: schema,
    schema: EVENTS_SCHEMA,
    creates: options.creates ?? true,
    lockWaitMs: options.lockWaitMs ?? LOCK_WAIT_MS,
    unavailable: (message, cause) => new Error(message, cause),
  });
  const write = (run: string, decide: Decide) => {
    const attempt = makeAttempt(run, decide);
    return store.write(lockFirst(schema, digestOfRun(run)), (session) => attempt({ session, schema }));
  };
  const look = async (runs: readonly string[]) =>
    (await store.read((session) => selectHeads({ session, schema }, runs))) ?? new Map<string, number>();
  return {
    append: (run, events) => write(run, () => Promise.resolve(events)),
    appendPieces: (run, decide) => write(run, async (events) => decide(await selectNewestPiece(events, run))),
    read: async (run, after, { limit = READ_LIMIT, only } = {}) =>
      (await store.read((session) => selectEvents({ session, schema }, { run, after, limit, only }))) ?? [],
    head: async (run) => (await look([run])).get(run) ?? 0,
    newest: (run, type) => store.read((session) => selectNewest({ session, schema }, run, type)),
    untilAfter: awaitEvents(look),
    close: () => store.close(),
  };
}

type Decide = (events: EventsOf) => Promise<readonly RunEvent[]>;

/** One append, in as many attempts as it takes: an attempt whose commit counted, though nobody heard so, is the last. */
function makeAttempt(run: string, decide: Decide): (events: EventsOf) => Promise<number> {
  let earlier: { readonly commit: string; readonly last: number } | undefined;
  return async (eventsOf) => {
    if (earlier && (await hasCommitted(eventsOf, run, earlier))) return earlier.last;
    const commit = randomUUID();
    const last = await insertEvents(eventsOf, { run, events: await decide(eventsOf), commit });
    earlier = { commit, last };
    return last;
  };
}
