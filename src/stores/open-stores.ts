import type { EventStore } from '../contracts/event-store.ts';
import type { Ledger } from '../contracts/ledger.ts';
import type { TranscriptStore } from '../contracts/transcript.ts';
import { openFileTranscripts } from './file-transcripts.ts';
import { parsePostgresAddress, type PostgresAddress } from './postgres-address.ts';
import { openPostgresEvents } from './postgres-events.ts';
import { openPostgresLedger } from './postgres-ledger.ts';
import { openSqliteEvents } from './sqlite-events.ts';
import { openSqliteLedger } from './sqlite-ledger.ts';
import { parseStoreAddress, type StoreAddress } from './store-address.ts';

export { parseStoreAddress, refuseUnsharedStore, withoutPassword, type StoreAddress } from './store-address.ts';

export interface StoreUse {
  /** False for those who only look: a store that is not there is empty to them, and is not made. Default true. */
  readonly creates?: boolean;
}

type Opener<Store> = (address: StoreAddress, use: StoreUse) => Store;

/** By scheme; `form` is how its addresses are written, absent for a second name of a scheme. */
type Openers<Store> = Readonly<Record<string, { readonly open: Opener<Store>; readonly form?: string }>>;

function onPostgres<Store>(openAt: (address: PostgresAddress, use: StoreUse) => Store): Openers<Store> {
  const open: Opener<Store> = (address, use) => openAt(parsePostgresAddress(address), use);
  return { postgres: { open, form: 'postgres://USER@HOST/DATABASE' }, postgresql: { open } };
}

const LEDGERS: Openers<Ledger> = {
  sqlite: { open: ({ path }, use) => openSqliteLedger(path, use), form: 'sqlite:PATH' },
  ...onPostgres(openPostgresLedger),
};
const TRANSCRIPTS: Openers<TranscriptStore> = {
  file: { open: ({ path }) => openFileTranscripts(path), form: 'file:PATH' },
};
const EVENTS: Openers<EventStore> = {
  sqlite: { open: ({ path }, use) => openSqliteEvents(path, use), form: 'sqlite:PATH' },
  ...onPostgres(openPostgresEvents),
};

/**
 * Opens `sqlite:PATH`, `postgres://USER@HOST:PORT/DATABASE?schema=NAME` or `postgres:DATABASE`. Nothing is touched before the
 * first call. @throws for an address it does not know.
 */
export const openLedger = (address: string, use: StoreUse = {}) => openBy(LEDGERS, address, use);

/** Opens `file:PATH`. Nothing is touched before the first call. @throws for an address it does not know. */
export const openTranscripts = (address: string) => openBy(TRANSCRIPTS, address, {});

/** Opens what `openLedger` opens, and may share the schema of a ledger. @throws for an address it does not know. */
export const openEvents = (address: string, use: StoreUse = {}) => openBy(EVENTS, address, use);

function openBy<Store>(openers: Openers<Store>, address: string, use: StoreUse): Store {
  const parsed = parseStoreAddress(address);
  const opener = Object.hasOwn(openers, parsed.scheme) ? openers[parsed.scheme] : undefined;
  if (opener !== undefined) return opener.open(parsed, use);
  const known = Object.values(openers).flatMap(({ form }) => form ?? []);
  throw new Error(`Cannot open store: unknown scheme "${parsed.scheme}:". Use ${known.join(' or ')}.`);
}
