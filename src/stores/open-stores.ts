import type { EventStore } from '../contracts/events.ts';
import type { Ledger } from '../contracts/ledger.ts';
import type { TranscriptStore } from '../contracts/transcript.ts';
import { openFileTranscripts } from './file-transcripts.ts';
import { openSqliteEvents } from './sqlite-events.ts';
import { openSqliteLedger } from './sqlite-ledger.ts';
import { parseStoreAddress } from './store-address.ts';

export { parseStoreAddress, refuseUnsharedStore, type StoreAddress } from './store-address.ts';

type Openers<Store> = Readonly<Record<string, (path: string) => Store>>;

const LEDGERS: Openers<Ledger> = { sqlite: (path) => openSqliteLedger(path) };
const TRANSCRIPTS: Openers<TranscriptStore> = { file: openFileTranscripts };
const EVENTS: Openers<EventStore> = { sqlite: openSqliteEvents };

/** Opens `sqlite:PATH`. Nothing is touched before the first call. @throws for an address it does not know. */
export const openLedger = (address: string) => openBy(LEDGERS, address);

/** Opens `file:PATH`. Nothing is touched before the first call. @throws for an address it does not know. */
export const openTranscripts = (address: string) => openBy(TRANSCRIPTS, address);

/** Opens `sqlite:PATH`. Nothing is touched before the first call. @throws for an address it does not know. */
export const openEvents = (address: string) => openBy(EVENTS, address);

function openBy<Store>(openers: Openers<Store>, address: string): Store {
  const { scheme, path } = parseStoreAddress(address);
  const open = Object.hasOwn(openers, scheme) ? openers[scheme] : undefined;
  if (open !== undefined) return open(path);
  const known = Object.keys(openers).map((name) => `${name}:PATH`);
  throw new Error(`Cannot open store: unknown scheme "${scheme}:". Use ${known.join(' or ')}.`);
}
