import type { EventStore } from '../contracts/events.ts';
import type { Ledger } from '../contracts/ledger.ts';
import type { TranscriptStore } from '../contracts/transcript.ts';
import { openFileTranscripts } from './file-transcripts.ts';
import { openSqliteEvents } from './sqlite-events.ts';
import { openSqliteLedger } from './sqlite-ledger.ts';
import { parseStoreAddress } from './store-address.ts';

export { parseStoreAddress, refuseUnsharedStore, type StoreAddress } from './store-address.ts';

export interface StoreUse {
  /** False for those who only look: a store that is not there is empty to them, and is not made. Default true. */
  readonly creates?: boolean;
}

type Openers<Store> = Readonly<Record<string, (path: string, use: StoreUse) => Store>>;

const LEDGERS: Openers<Ledger> = { sqlite: openSqliteLedger };
const TRANSCRIPTS: Openers<TranscriptStore> = { file: openFileTranscripts };
const EVENTS: Openers<EventStore> = { sqlite: openSqliteEvents };

/** Opens `sqlite:PATH`. Nothing is touched before the first call. @throws for an address it does not know. */
export const openLedger = (address: string, use: StoreUse = {}) => openBy(LEDGERS, address, use);

/** Opens `file:PATH`. Nothing is touched before the first call. @throws for an address it does not know. */
export const openTranscripts = (address: string) => openBy(TRANSCRIPTS, address, {});

/** Opens `sqlite:PATH`. Nothing is touched before the first call. @throws for an address it does not know. */
export const openEvents = (address: string, use: StoreUse = {}) => openBy(EVENTS, address, use);

function openBy<Store>(openers: Openers<Store>, address: string, use: StoreUse): Store {
  const { scheme, path } = parseStoreAddress(address);
  const open = Object.hasOwn(openers, scheme) ? openers[scheme] : undefined;
  if (open !== undefined) return open(path, use);
  const known = Object.keys(openers).map((name) => `${name}:PATH`);
  throw new Error(`Cannot open store: unknown scheme "${scheme}:". Use ${known.join(' or ')}.`);
}
