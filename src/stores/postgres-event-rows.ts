import type { RunEvent, StoredEvent, StreamEvent } from '../contracts/events.ts';
import { PIECES, toStoredEvent, toText } from './event-rows.ts';
import type { PostgresSession } from './postgres-session.ts';
import { toStorableText } from './storable-text.ts';

/** The events of an event store, by statements inside somebody's transaction. `schema`: its name in the database. */
export interface EventsOf {
  readonly session: PostgresSession;
  readonly schema: string;
}

export interface AppendedEvents {
  readonly run: string;
  readonly events: readonly RunEvent[];
  /** A UUID of this attempt to write. */
  readonly commit: string;
}

/** Writes in one statement, which says whether this user may, also with nothing to write. Gives the run's last offset. */
export async function insertEvents(
  { session, schema }: EventsOf,
  { run, events, commit }: AppendedEvents,
): Promise<number> {
  const [row] = await session.ask(
    `WITH before AS (SELECT coalesce(max("offset"), 0) AS last FROM ${schema}.events WHERE run = $1),
     added AS (
       INSERT INTO ${schema}.events (run, "offset", type, event, commit_id)
       SELECT $1, last + nth, type, event, $2
       FROM before, unnest($3::text[], $4::text[]) WITH ORDINALITY AS new (type, event, nth)
       RETURNING "offset")
     SELECT greatest(last, (SELECT max("offset") FROM added)) AS last FROM before`,
    [toStorableText(run), commit, events.map(({ type }) => type), events.map(toText)],
  );
  return Number(row?.last);
}

/** Whether a commit counted whose answer may have been lost. To be asked behind the lock that the commit held. */
export async function hasCommitted(
  { session, schema }: EventsOf,
  run: string,
  { commit, last }: { readonly commit: string; readonly last: number },
): Promise<boolean> {
  const rows = await session.ask(`SELECT FROM ${schema}.events WHERE run = $1 AND "offset" = $2 AND commit_id = $3`, [
    toStorableText(run),
    last,
    commit,
  ]);
  return rows.length > 0;
}

export interface EventRange {
  readonly run: string;
  readonly after: number;
  readonly limit: number;
  readonly only: 'facts' | undefined;
}

export async function selectEvents(
  { session, schema }: EventsOf,
  { run, after, limit, only }: EventRange,
): Promise<readonly StoredEvent[]> {
  const rows = await session.ask(
    `SELECT "offset", event FROM ${schema}.events
     WHERE run = $1 AND "offset" > $2 ${only === 'facts' ? `AND type NOT IN (${ARE_PIECES})` : ''}
     ORDER BY "offset" LIMIT $3`,
    [toStorableText(run), after, limit],
  );
  return rows.map(toStoredEvent);
}

export async function selectNewest(
  { session, schema }: EventsOf,
  run: string,
  type: RunEvent['type'],
): Promise<StoredEvent | undefined> {
  const [row] = await session.ask(
    `SELECT "offset", event FROM ${schema}.events WHERE run = $1 AND type = $2 ORDER BY "offset" DESC LIMIT 1`,
    [toStorableText(run), type],
  );
  return row && toStoredEvent(row);
}

export async function selectNewestPiece({ session, schema }: EventsOf, run: string): Promise<StreamEvent | undefined> {
  const [row] = await session.ask(
    `SELECT "offset", event FROM ${schema}.events WHERE run = $1 AND type IN (${ARE_PIECES}) ORDER BY "offset" DESC LIMIT 1`,
    [toStorableText(run)],
  );
  // Typed by hand: the types are asked for.
  return row && (toStoredEvent(row) as StreamEvent);
}

/** How far each of the runs has come; 0 where it has no event. */
export async function selectHeads(
  { session, schema }: EventsOf,
  runs: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await session.ask(
    `SELECT (SELECT max("offset") FROM ${schema}.events WHERE run = asked.run) AS head
     FROM unnest($1::text[]) WITH ORDINALITY AS asked (run, nth) ORDER BY nth`,
    [runs.map(toStorableText)],
  );
  return new Map(runs.map((run, index) => [run, Number(rows[index]?.head ?? 0)]));
}

const ARE_PIECES = PIECES.map((type) => `'${type}'`).join(', ');
