import type { DatabaseSync } from 'node:sqlite';
import { LedgerUnavailable } from '../contracts/ledger.ts';
import type { Ledger, LedgerEntry, LedgerKey, LedgerQuery, LedgerRecord } from '../contracts/ledger.ts';
import { toKeyColumns, toRecord, toRow, type LedgerRow } from './ledger-rows.ts';
import { LOCK_WAIT_MS } from './lock-wait.ts';
import { refuseOtherKey } from './refuse-other-key.ts';
import { openSqliteFile } from './sqlite-file.ts';
import { LEDGER_SCHEMA } from './sqlite-ledger-schema.ts';
import { toStorableText } from './storable-text.ts';

export interface SqliteLedgerOptions {
  /** How long a call waits for locks of other processes before it throws LedgerUnavailable. Default 4,000 ms. */
  readonly lockWaitMs?: number;
  /** False for those who only look: a ledger that is not there is empty to them, and is not made. Default true. */
  readonly creates?: boolean;
}

/**
 * A ledger in one SQLite file, for all processes of one machine. Folder and file are made by the first call, so a worker
 * asks for `id()` when it starts. From its first call on this ledger keeps to the id it found: with the file removed or
 * replaced by another ledger every call throws LedgerUnavailable, until the file is back or the ledger is opened anew.
 */
export function openSqliteLedger(path: string, options: SqliteLedgerOptions = {}): Ledger {
  const file = openSqliteFile({
    name: 'ledger',
    path,
    schema: LEDGER_SCHEMA,
    synchronous: 'FULL',
    lockWaitMs: options.lockWaitMs ?? LOCK_WAIT_MS,
    whenReplaced: 'refuse',
    creates: options.creates ?? true,
    unavailable: (message, cause) => new LedgerUnavailable(message, cause),
  });
  return {
    id: () => file.id(),
    decide: (key, decide) =>
      file.write((database) => {
        const { append, answer } = decide(selectRecords(database, { key }, ALL));
        return { answer, written: append.map((entry) => insertRecord(database, key, entry)) };
      }),
    read: async (query) =>
      (await file.read((database) => selectRecords(database, query, query.limit ?? READ_LIMIT))) ?? [],
    counter: async (task) => (await file.read((database) => selectCounter(database, task))) ?? 0,
    close: () => file.close(),
  };
}

const READ_LIMIT = 10_000;
const ALL = -1;

function selectRecords(database: DatabaseSync, query: LedgerQuery, limit: number): readonly LedgerRecord[] {
  const columns = toColumns(query);
  const where = Object.keys(columns).map((column) => `${column} = ?`);
  const isNarrow = where.length > 0;
  const conditions = ['TRUE', ...where, ...(query.unsettled ? [isNarrow ? OF_OPEN_CLAIM : HAS_OPEN_CLAIM] : [])];
  const rows = database
    .prepare(`SELECT * FROM records WHERE ${conditions.join(' AND ')} ORDER BY position LIMIT ?`)
    .all(...Object.values(columns), limit);
  // Typed by hand: only `insertRecord` writes this table.
  return (rows as unknown as LedgerRow[]).map(toRecord);
}

/** A claim of which no record says how it ended, in a generation that nothing settles. */
const IS_OPEN_CLAIM = `open.kind = 'claimed' AND NOT EXISTS (
    SELECT 1 FROM records AS ending
    WHERE ending.namespace = open.namespace AND ending.scope = open.scope AND ending.intent = open.intent
      AND ((ending.kind IN ('done', 'failed', 'not-executed')
            AND ending.statement ->> 'claim' = open.statement ->> 'claim')
        OR (ending.kind = 'settled' AND ending.generation = open.generation)))`;

/** The key of the row has such a claim: looked for once, where all rows are asked about. */
const HAS_OPEN_CLAIM = `(namespace, scope, intent) IN (
  SELECT namespace, scope, intent FROM records AS open WHERE ${IS_OPEN_CLAIM})`;

/** The same, looked for row by row, where few rows are asked about. */
const OF_OPEN_CLAIM = `EXISTS (SELECT 1 FROM records AS open
  WHERE open.namespace = records.namespace AND open.scope = records.scope AND open.intent = records.intent
    AND ${IS_OPEN_CLAIM})`;

function toColumns({ task, run, key }: LedgerQuery): Readonly<Record<string, string>> {
  return {
    ...(task !== undefined && { task: toStorableText(task) }),
    ...(run !== undefined && { run: toStorableText(run) }),
    ...(key !== undefined && toKeyColumns(key)),
  };
}

function selectCounter(database: DatabaseSync, task: string): number {
  const row = database.prepare('SELECT max(counter) AS counter FROM records WHERE task = ?').get(toStorableText(task));
  return Number(row?.counter ?? 0);
}

function insertRecord(database: DatabaseSync, key: LedgerKey, entry: LedgerEntry): LedgerRecord {
  refuseOtherKey(key, entry.key);
  const row = toRow(entry, selectCounter(database, entry.task) + 1);
  const columns = Object.keys(row);
  database
    .prepare(`INSERT INTO records (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`)
    .run(...Object.values<string | number>({ ...row }));
  // As it will be read, so that a caller never sees more than the ledger holds.
  return toRecord(row);
}
