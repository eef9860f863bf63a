import type { LedgerEntry, LedgerKey, LedgerQuery, LedgerRecord } from '../contracts/ledger.ts';
import { toRecord, toRow, type LedgerRow } from './ledger-rows.ts';
import { digestOf, digestOfKey, lockThen } from './postgres-locks.ts';
import type { PostgresRow, PostgresSession } from './postgres-session.ts';
import { refuseOtherKey } from './refuse-other-key.ts';

/** The records of a ledger, by statements inside somebody's transaction. `schema`: its name in the database. */
export interface RecordsOf {
  readonly session: PostgresSession;
  readonly schema: string;
}

const READ_LIMIT = 10_000;
/** As SQL has it: no limit. */
export const ALL = null;

export async function selectRecords(
  { session, schema }: RecordsOf,
  query: LedgerQuery,
  limit: number | null = query.limit ?? READ_LIMIT,
): Promise<readonly LedgerRecord[]> {
  const digests = Object.entries(toDigests(query));
  const where = digests.map(([column], index) => `${column} = $${index + 2}`);
  const conditions = [
    'TRUE',
    ...where,
    ...(query.unsettled ? [digests.length > 0 ? ofOpenClaim(schema) : hasOpenClaim(schema)] : []),
  ];
  const rows = await session.ask(
    `SELECT ${COLUMNS.join(', ')} FROM ${schema}.records WHERE ${conditions.join(' AND ')} ORDER BY position LIMIT $1`,
    [limit, ...digests.map(([, digest]) => digest)],
  );
  return rows.map((row) => toRecord(toLedgerRow(row)));
}

/** A claim of which no record says how it ended, in a generation that nothing settles. */
const isOpenClaim = (schema: string) => `open.kind = 'claimed'
    AND NOT EXISTS (
      SELECT FROM ${schema}.records AS ending
      WHERE ending.kind IN ('done', 'failed', 'not-executed')
        AND ending.key_digest = open.key_digest AND ending.claim_digest = open.claim_digest)
    AND NOT EXISTS (
      SELECT FROM ${schema}.records AS settling
      WHERE settling.kind = 'settled'
        AND settling.key_digest = open.key_digest AND settling.generation = open.generation)`;

/** The key of the row has such a claim: looked for once, where all rows are asked about. */
const hasOpenClaim = (schema: string) =>
  `key_digest IN (SELECT key_digest FROM ${schema}.records AS open WHERE ${isOpenClaim(schema)})`;

/** The same, looked for row by row, where few rows are asked about. */
const ofOpenClaim = (schema: string) =>
  `EXISTS (SELECT FROM ${schema}.records AS open WHERE open.key_digest = records.key_digest AND ${isOpenClaim(schema)})`;

function toDigests({ task, run, key }: LedgerQuery): Readonly<Record<string, Buffer>> {
  return {
    ...(task !== undefined && { task_digest: digestOf(task) }),
    ...(run !== undefined && { run_digest: digestOf(run) }),
    ...(key !== undefined && { key_digest: digestOfKey(key) }),
  };
}

/** The highest counter of a task; 0 when it has none. */
export async function selectCounter(records: RecordsOf, task: string): Promise<number> {
  return (await selectCounters(records, [task])).get(task) ?? 0;
}

async function selectCounters(
  { session, schema }: RecordsOf,
  tasks: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await session.ask(
    `SELECT (SELECT max(counter) FROM ${schema}.records WHERE task_digest = digest) AS counter
     FROM unnest($1::bytea[]) WITH ORDINALITY AS asked (digest, place) ORDER BY place`,
    [tasks.map((task) => digestOf(task))],
  );
  return new Map(tasks.map((task, index) => [task, Number(rows[index]?.counter ?? 0)]));
}

/** Whether a commit counted whose answer may have been lost. To be asked behind the lock that the commit held. */
export async function hasCommitted({ session, schema }: RecordsOf, key: LedgerKey, commit: string): Promise<boolean> {
  const rows = await session.ask(`SELECT FROM ${schema}.records WHERE key_digest = $1 AND commit_id = $2 LIMIT 1`, [
    digestOfKey(key),
    commit,
  ]);
  return rows.length > 0;
}

export interface Appending {
  readonly key: LedgerKey;
  readonly entries: readonly LedgerEntry[];
  /** A UUID of this attempt to write. */
  readonly commit: string;
}

/** Counts in each entry's task and writes all in one statement. Gives them as they will be read. */
export async function insertRecords(
  records: RecordsOf,
  { key, entries, commit }: Appending,
): Promise<readonly LedgerRecord[]> {
  for (const entry of entries) refuseOtherKey(key, entry.key);
  if (entries.length === 0) return [];
  const { session, schema } = records;
  const tasks = [...new Set(entries.map(({ task }) => task))];
  await session.ask(
    lockThen(
      schema,
      tasks.map((task) => digestOf(task)),
    ),
  );
  // A statement of its own: what the one before waited for, only the next one sees.
  const rows = count(entries, await selectCounters(records, tasks));
  const columns = [...COLUMNS, ...EXTRA_COLUMNS].join(', ');
  await session.ask(
    `INSERT INTO ${schema}.records (${columns})
     SELECT ${columns} FROM json_populate_recordset(NULL::${schema}.records, $1)`,
    [JSON.stringify(entries.map((entry, index) => ({ ...rows[index], ...toExtra(entry, commit) })))],
  );
  return rows.map(toRecord);
}

function count(entries: readonly LedgerEntry[], counters: ReadonlyMap<string, number>): readonly LedgerRow[] {
  const next = new Map(counters);
  return entries.map((entry) => {
    const counter = (next.get(entry.task) ?? 0) + 1;
    next.set(entry.task, counter);
    return toRow(entry, counter);
  });
}

const COLUMNS = [
  ...(['task', 'counter', 'namespace', 'scope', 'intent', 'run', 'execution', 'call', 'tool'] as const),
  ...(['generation', 'at', 'kind', 'statement'] as const),
] satisfies readonly (keyof LedgerRow)[];
const EXTRA_COLUMNS = ['key_digest', 'task_digest', 'run_digest', 'claim_digest', 'commit_id'] as const;

function toExtra(entry: LedgerEntry, commit: string): Readonly<Record<(typeof EXTRA_COLUMNS)[number], string | null>> {
  return {
    key_digest: bytes(digestOfKey(entry.key)),
    task_digest: bytes(digestOf(entry.task)),
    run_digest: bytes(digestOf(entry.run)),
    claim_digest: 'claim' in entry ? bytes(digestOf(entry.claim)) : null,
    commit_id: commit,
  };
}

/** As PostgreSQL writes bytes in text. */
const bytes = (digest: Buffer) => `\\x${digest.toString('hex')}`;

function toLedgerRow(row: PostgresRow): LedgerRow {
  // Typed by hand: only `insertRecords` writes this table. The driver gives a BIGINT as text.
  return { ...(row as unknown as LedgerRow), at: Number(row.at) };
}
