import { randomUUID } from 'node:crypto';
import { LedgerUnavailable } from '../contracts/ledger.ts';
import type { Ledger, LedgerDecision, LedgerKey, LedgerRecord } from '../contracts/ledger.ts';
import { LOCK_WAIT_MS } from './lock-wait.ts';
import type { PostgresAddress } from './postgres-address.ts';
import { LEDGER_SCHEMA } from './postgres-ledger-schema.ts';
import { digestOfKey, lockFirst } from './postgres-locks.ts';
import { ALL, hasCommitted, insertRecords, selectCounter, selectRecords, type RecordsOf } from './postgres-records.ts';
import { openPostgresStore } from './postgres-store.ts';

export interface PostgresLedgerOptions {
  /** How long a call waits for the server and for locks before it throws LedgerUnavailable. Default 4,000 ms. */
  readonly lockWaitMs?: number;
  /** False for those who only look: a ledger that is not there is empty to them, and is not made. Default true. */
  readonly creates?: boolean;
}

/**
 * A ledger in one schema of a PostgreSQL database, for workers of all machines. Schema and tables are made by the first
 * call, so a worker asks for `id()` when it starts. From then on this ledger keeps to the id it found: with another ledger in
 * its place every call throws LedgerUnavailable.
 */
export function openPostgresLedger(address: PostgresAddress, options: PostgresLedgerOptions = {}): Ledger {
  const { schema } = address;
  const store = openPostgresStore({
    address,
    title: 'ledger',
    name: schema,
    schema: LEDGER_SCHEMA,
    creates: options.creates ?? true,
    lockWaitMs: options.lockWaitMs ?? LOCK_WAIT_MS,
    unavailable: (message, cause) => new LedgerUnavailable(message, cause),
  });
  return {
    id: () => store.id(),
    decide(key, decide) {
      const attempt = makeAttempt(key, decide);
      return store.write(lockFirst(schema, digestOfKey(key)), (session) => attempt({ session, schema }));
    },
    read: async (query) => (await store.read((session) => selectRecords({ session, schema }, query))) ?? [],
    counter: async (task) => (await store.read((session) => selectCounter({ session, schema }, task))) ?? 0,
    close: () => store.close(),
  };
}

interface Decided<Answer> {
  readonly answer: Answer;
  readonly written: readonly LedgerRecord[];
}

/** One decision, in as many attempts as it takes: an attempt whose commit counted, though nobody heard so, is the last. */
function makeAttempt<Answer>(
  key: LedgerKey,
  decide: (records: readonly LedgerRecord[]) => LedgerDecision<Answer>,
): (records: RecordsOf) => Promise<Decided<Answer>> {
  let earlier: { readonly commit: string; readonly decided: Decided<Answer> } | undefined;
  return async (records) => {
    if (earlier && (await hasCommitted(records, key, earlier.commit))) return earlier.decided;
    const { append, answer } = decide(await selectRecords(records, { key }, ALL));
    const commit = randomUUID();
    const decided = { answer, written: await insertRecords(records, { key, entries: append, commit }) };
    earlier = { commit, decided };
    return decided;
  };
}
