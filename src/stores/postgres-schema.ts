import { randomUUID } from 'node:crypto';
import { digestOf, lockFirst } from './postgres-locks.ts';
import { rollBack, type PostgresSession } from './postgres-session.ts';
import { PostgresTrouble } from './postgres-trouble.ts';

/** What a store keeps in a schema of the database, and the steps that make it: the first step makes version 1 of nothing, and so on. */
export interface PostgresSchema {
  readonly holds: 'ledger' | 'events';
  readonly migrations: readonly ((schema: string) => string)[];
}

/** What a store says of itself. This table never changes its shape: older and newer code must be able to read it. */
export interface PostgresMeta {
  /** Made once, when the store is created. */
  readonly id: string;
  readonly version: number;
}

export interface PostgresPlace {
  /** Of the schema in the database. */
  readonly name: string;
  readonly schema: PostgresSchema;
  /** Whether the store is made, or updated, where that is needed. */
  readonly creates: boolean;
}

/** The store, made or updated if need be; undefined when there is none and none is made. @throws PostgresTrouble */
export async function meetStore(session: PostgresSession, place: PostgresPlace): Promise<PostgresMeta | undefined> {
  const found = await findStore(session, place);
  if (found?.version === place.schema.migrations.length) return found;
  if (place.creates) return migrate(session, place);
  if (found !== undefined) throw new PostgresTrouble(olderSchema(found, place.schema));
  return undefined;
}

/** The statement that reads the store's own row; it fails where there is no store. */
export const selectMeta = ({ name, schema }: PostgresPlace): string =>
  `SELECT id, version, current_setting('transaction_read_only') AS read_only FROM ${name}.meta WHERE holds = '${schema.holds}'`;

/** Typed by hand: `createMeta` wrote the row, and a trigger keeps it. Undefined when there is none. */
export const toMeta = (rows: readonly Readonly<Record<string, unknown>>[]): PostgresMeta | undefined =>
  rows[0] as PostgresMeta | undefined;

/** The store as it is, undefined when there is none. @throws PostgresTrouble when it is newer than this code, or not ours. */
async function findStore(session: PostgresSession, place: PostgresPlace): Promise<PostgresMeta | undefined> {
  const ground = await lookAround(session, place.name);
  if (ground.encoding !== 'UTF8') throw new PostgresTrouble(otherEncoding(ground.encoding));
  if (ground.hasTables && !ground.hasMeta) throw new PostgresTrouble(notOurs(place.name));
  const meta = ground.hasMeta ? toMeta(await session.ask(selectMeta(place))) : undefined;
  if (meta !== undefined) refuseNewer(meta, place.schema);
  return meta;
}

/** What stands where a store is sought. */
interface Ground {
  readonly encoding: string;
  readonly hasSchema: boolean;
  readonly hasTables: boolean;
  /** Of this store, or of another one in the same schema. */
  readonly hasMeta: boolean;
}

async function lookAround(session: PostgresSession, name: string): Promise<Ground> {
  const [found] = await session.ask(
    `SELECT current_setting('server_encoding') AS "encoding", n.oid IS NOT NULL AS "hasSchema",
       EXISTS (SELECT FROM pg_class WHERE relnamespace = n.oid) AS "hasTables",
       EXISTS (SELECT FROM pg_class WHERE relnamespace = n.oid AND relname = 'meta') AS "hasMeta"
     FROM (SELECT) AS one LEFT JOIN pg_namespace AS n ON n.nspname = $1`,
    [name],
  );
  // Typed by hand: the statement gives one row of this shape.
  return found as unknown as Ground;
}

/** Makes or updates the store, in one transaction. Of many processes that come at once, one does it and the others find it done. */
async function migrate(session: PostgresSession, place: PostgresPlace): Promise<PostgresMeta> {
  const { name, schema } = place;
  await session.ask(`BEGIN ISOLATION LEVEL READ COMMITTED; ${lockFirst(name, digestOf('migrations'))}`);
  try {
    const before = (await findStore(session, place)) ?? (await createMeta(session, place));
    for (const step of schema.migrations.slice(before.version)) await session.ask(step(name));
    const version = schema.migrations.length;
    await session.ask(`UPDATE ${name}.meta SET version = ${version} WHERE holds = '${schema.holds}'; COMMIT`);
    return { ...before, version };
  } catch (error) {
    await rollBack(session, error);
    throw error;
  }
}

/** @throws PostgresTrouble when workers of a newer version have updated the store. */
export function refuseNewer({ version }: PostgresMeta, { migrations }: PostgresSchema): void {
  if (version <= migrations.length) return;
  throw new PostgresTrouble(
    `it has schema version ${version}, and this holdfast knows versions up to ${migrations.length}. Upgrade holdfast`,
  );
}

async function createMeta(session: PostgresSession, { name, schema }: PostgresPlace): Promise<PostgresMeta> {
  const { hasSchema, hasMeta } = await lookAround(session, name);
  // Not "if not exists": that wants the right to make schemas even where an administrator has made this one.
  if (!hasSchema) await session.ask(`CREATE SCHEMA ${name}`);
  if (!hasMeta) await session.ask(metaTable(name));
  const meta = { id: randomUUID(), version: 0 };
  await session.ask(`INSERT INTO ${name}.meta (holds, id, version) VALUES ($1, $2, 0)`, [schema.holds, meta.id]);
  return meta;
}

const metaTable = (name: string) => `
  CREATE TABLE ${name}.meta (holds TEXT PRIMARY KEY, id TEXT NOT NULL, version INTEGER NOT NULL);
  CREATE FUNCTION ${name}.meta_stays() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'the id of a store never changes'; END $$;
  CREATE TRIGGER meta_keeps_id BEFORE UPDATE OF holds, id ON ${name}.meta EXECUTE FUNCTION ${name}.meta_stays();
  CREATE TRIGGER meta_stays BEFORE DELETE OR TRUNCATE ON ${name}.meta EXECUTE FUNCTION ${name}.meta_stays();
  ALTER TABLE ${name}.meta ENABLE ALWAYS TRIGGER meta_keeps_id, ENABLE ALWAYS TRIGGER meta_stays;
`;

const olderSchema = ({ version }: PostgresMeta, { migrations }: PostgresSchema) =>
  `it has schema version ${version}, and this holdfast needs ${migrations.length}. Start a worker of this version: it updates it`;

const notOurs = (name: string) =>
  `the schema ${name} belongs to another program. Name another one, for example ?schema=holdfast`;

const otherEncoding = (encoding: string) =>
  `the database has encoding ${encoding}, which cannot hold every text. Make one with ENCODING 'UTF8' TEMPLATE template0`;
