import type { Config } from '../contracts/agent.ts';
import type { EventStore } from '../contracts/event-store.ts';
import type { Ledger } from '../contracts/ledger.ts';
import type { TranscriptStore } from '../contracts/transcript.ts';
import { openEvents, openLedger, openTranscripts, refuseUnsharedStore } from '../stores/open-stores.ts';
import type { Settings } from '../temporal/settings.ts';

export interface WorkerStores {
  readonly ledger: Ledger;
  readonly transcripts: TranscriptStore;
  readonly events: EventStore;
  close(): Promise<void>;
}

type Addresses = Pick<Settings, 'ledger' | 'transcripts' | 'events'>;

/** Which stores are meant: what the configuration says, else the environment, else the data folder. */
export function storeAddresses(config: Partial<Pick<Config, keyof Addresses>>, settings: Addresses): Addresses {
  return {
    ledger: config.ledger ?? settings.ledger,
    transcripts: config.transcripts ?? settings.transcripts,
    events: config.events ?? settings.events,
  };
}

/** @throws when a store on this machine's disk would have to serve workers of other machines. */
export function openWorkerStores(addresses: Addresses, temporalAddress: string): WorkerStores {
  for (const address of Object.values(addresses)) refuseUnsharedStore(address, temporalAddress);
  const ledger = openLedger(addresses.ledger);
  const transcripts = openTranscripts(addresses.transcripts);
  const events = openEvents(addresses.events);
  const close = async () => {
    await Promise.all([ledger.close(), transcripts.close(), events.close()]);
  };
  return { ledger, transcripts, events, close };
}
