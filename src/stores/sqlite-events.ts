import type { DatabaseSync } from 'node:sqlite';
import type { EventStore } from '../contracts/event-store.ts';
import type { RunEvent, StoredEvent, StreamEvent } from '../contracts/events.ts';
import { awaitEvents } from './await-events.ts';
import { PIECES, READ_LIMIT, toStoredEvent, toText } from './event-rows.ts';
import { LOCK_WAIT_MS } from './lock-wait.ts';
import { openSqliteFile } from './sqlite-file.ts';
import type { SqliteSchema } from './sqlite-schema.ts';
import { toStorableText } from './storable-text.ts';

const EVENTS_SCHEMA: SqliteSchema = {
  holds: 'events',
  migrations: [
    `
    CREATE TABLE events (
      run TEXT NOT NULL,
      "offset" INTEGER NOT NULL,
      type TEXT NOT NULL,
      event TEXT NOT NULL,
      PRIMARY KEY (run, "offset")
    ) WITHOUT ROWID;
    `,
  ],
};

/**
 * Events of runs in one SQLite file, for all processes of one machine. Nothing is decided by them, so a file that was
 * removed is begun anew, and the last events may be lost in a power cut. `creates: false` is for those who only look.
 */
export function openSqliteEvents(path: string, { creates = true }: { readonly creates?: boolean } = {}): EventStore {
  const file = openSqliteFile({
    name: 'event store',
    path,
    schema: EVENTS_SCHEMA,
    synchronous: 'NORMAL',
    lockWaitMs: LOCK_WAIT_MS,
    whenReplaced: 'follow',
    creates,
    unavailable: (message, cause) => new Error(message, cause),
  });
  const look = async (runs: readonly string[]) =>
    (await file.read((database) => selectHeads(database, runs))) ?? new Map<string, number>();
  return {
    append: (run, events) => file.write((database) => insertEvents(database, toStorableText(run), events)),
    appendPieces: (run, decide) =>
      file.write((database) => {
        const stored = toStorableText(run);
        // Typed by hand: the types are asked for.
        const newest = selectNewest(database, stored, PIECES) as StreamEvent | undefined;
        return insertEvents(database, stored, decide(newest));
      }),
    read: async (run, after, { limit = READ_LIMIT, only } = {}) => {
      const range = { run: toStorableText(run), after, limit, leavesOut: only === 'facts' ? PIECES : [] };
      return (await file.read((database) => selectEvents(database, range))) ?? [];
    },
    head: async (run) => (await look([run])).get(run) ?? 0,
    newest: (run, type) => file.read((database) => selectNewest(database, toStorableText(run), [type])),
    untilAfter: awaitEvents(look),
    close: () => file.close(),
  };
}

function insertEvents(database: DatabaseSync, run: string, events: readonly RunEvent[]): number {
  const last = database.prepare('SELECT max("offset") AS last FROM events WHERE run = ?').get(run)?.last;
  const insert = database.prepare('INSERT INTO events (run, "offset", type, event) VALUES (?, ?, ?, ?)');
  const before = Number(last ?? 0);
  events.forEach((event, index) => insert.run(run, before + index + 1, event.type, toText(event)));
  return before + events.length;
}

interface Range {
  readonly run: string;
  readonly after: number;
  readonly limit: number;
  readonly leavesOut: readonly RunEvent['type'][];
}

function selectEvents(database: DatabaseSync, { run, after, limit, leavesOut }: Range): readonly StoredEvent[] {
  return database
    .prepare(
      `SELECT "offset", event FROM events WHERE run = ? AND "offset" > ? AND type NOT IN (${marks(leavesOut)})
       ORDER BY "offset" LIMIT ?`,
    )
    .all(run, after, ...leavesOut, limit)
    .map(toStoredEvent);
}

function selectNewest(
  database: DatabaseSync,
  run: string,
  types: readonly RunEvent['type'][],
): StoredEvent | undefined {
  const row = database
    .prepare(
      `SELECT "offset", event FROM events WHERE run = ? AND type IN (${marks(types)}) ORDER BY "offset" DESC LIMIT 1`,
    )
    .get(run, ...types);
  return row && toStoredEvent(row);
}

function selectHeads(database: DatabaseSync, runs: readonly string[]): ReadonlyMap<string, number> {
  const head = database.prepare('SELECT max("offset") AS head FROM events WHERE run = ?');
  return new Map(runs.map((run) => [run, Number(head.get(toStorableText(run))?.['head'] ?? 0)]));
}

const marks = (values: readonly unknown[]): string => values.map(() => '?').join(', ');
