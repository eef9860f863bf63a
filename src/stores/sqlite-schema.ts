import { randomUUID } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { inTransaction } from './sqlite-transaction.ts';
import { SqliteTrouble } from './sqlite-trouble.ts';

/** What a database holds, and the steps that make it: the first step makes version 1 of nothing, and so on. */
export interface SqliteSchema {
  readonly holds: 'ledger' | 'events';
  readonly migrations: readonly string[];
}

/** What a database says of itself. This table never changes its shape: older and newer code must be able to read it. */
export interface SqliteMeta {
  readonly holds: string;
  /** Made once, when the database is created. */
  readonly id: string;
  readonly version: number;
}

const META_TABLE = `
  CREATE TABLE meta (holds TEXT NOT NULL, id TEXT NOT NULL, version INTEGER NOT NULL);
  CREATE TRIGGER meta_keeps_id BEFORE UPDATE OF holds, id ON meta
    BEGIN SELECT RAISE(ABORT, 'the id of a store never changes'); END;
  CREATE TRIGGER meta_stays BEFORE DELETE ON meta
    BEGIN SELECT RAISE(ABORT, 'the id of a store never changes'); END;
`;

/** Undefined for an empty database. @throws SqliteTrouble when it is not ours, or newer than this code. */
export function readMeta(database: DatabaseSync, schema: SqliteSchema): SqliteMeta | undefined {
  const tables = database.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table'`).all();
  if (tables.length === 0) return undefined;
  if (!tables.some((table) => table.name === 'meta')) throw new SqliteTrouble(NOT_OURS);
  // Typed by hand: META_TABLE is what made the row.
  const meta = database.prepare('SELECT holds, id, version FROM meta').get() as SqliteMeta | undefined;
  if (meta === undefined) throw new SqliteTrouble(NOT_OURS);
  refuseForeign(meta, schema);
  return meta;
}

/** Makes or updates the tables. Of two processes that come at once, one does it and the other finds it done. */
export function migrate(database: DatabaseSync, schema: SqliteSchema): SqliteMeta {
  return inTransaction(database, () => {
    const meta = readMeta(database, schema) ?? createMeta(database, schema);
    for (const step of schema.migrations.slice(meta.version)) database.exec(step);
    const version = schema.migrations.length;
    database.prepare('UPDATE meta SET version = ?').run(version);
    return { ...meta, version };
  });
}

function createMeta(database: DatabaseSync, { holds }: SqliteSchema): SqliteMeta {
  const meta = { holds, id: randomUUID(), version: 0 };
  database.exec(META_TABLE);
  database.prepare('INSERT INTO meta (holds, id, version) VALUES (?, ?, ?)').run(meta.holds, meta.id, meta.version);
  return meta;
}

const NOT_OURS = 'the database belongs to another program. Name another path';

function refuseForeign(meta: SqliteMeta, { holds, migrations }: SqliteSchema): void {
  if (meta.holds !== holds) {
    throw new SqliteTrouble(`the file holds "${meta.holds}", not "${holds}". Give each store a file of its own`);
  }
  if (meta.version > migrations.length) {
    throw new SqliteTrouble(
      `it has schema version ${meta.version}, and this holdfast knows versions up to ${migrations.length}. Upgrade holdfast`,
    );
  }
}
