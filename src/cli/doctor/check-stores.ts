import type { Config } from '../../contracts/agent.ts';
import {
  openEvents,
  openLedger,
  openTranscripts,
  refuseUnsharedStore,
  withoutPassword,
} from '../../stores/open-stores.ts';
import { prepareDataFolder } from '../../temporal/data-folder.ts';
import type { Settings } from '../../temporal/settings.ts';
import { storeAddresses } from '../../workers/open-worker-stores.ts';
import { fail, ok, type Finding } from './finding.ts';

/** Opens each store and writes to it, nothing that lasts. `temporalAddress`: as workers would use it. */
export async function checkStores(
  config: Partial<Config>,
  settings: Settings,
  temporalAddress: string,
): Promise<readonly Finding[]> {
  const addresses = storeAddresses(config, settings);
  await prepareDataFolder(settings.dataDir).catch(() => undefined);
  const check = (name: string, address: string, write: (address: string) => Promise<void>) =>
    checkStore(name, address, async () => {
      refuseUnsharedStore(address, temporalAddress);
      await write(address);
    });
  return Promise.all([
    check('Ledger', addresses.ledger, writeLedger),
    check('Transcripts', addresses.transcripts, writeTranscripts),
    check('Events', addresses.events, writeEvents),
  ]);
}

async function checkStore(name: string, address: string, write: () => Promise<void>): Promise<Finding> {
  try {
    await write();
    return ok(name, withoutPassword(address));
  } catch (error) {
    return fail(name, (error as Error).message, 'until then no worker starts');
  }
}

async function writeLedger(address: string): Promise<void> {
  const ledger = openLedger(address);
  const key = { namespace: 'holdfast-doctor', scope: 'global', intent: 'check' };
  await ledger.decide(key, () => ({ append: [], answer: undefined })).finally(() => ledger.close());
}

async function writeTranscripts(address: string): Promise<void> {
  const transcripts = openTranscripts(address);
  // Content-addressed: the same word is one file, however often it is written.
  await transcripts.put('holdfast doctor').finally(() => transcripts.close());
}

async function writeEvents(address: string): Promise<void> {
  const events = openEvents(address);
  await events.append('holdfast-doctor', []).finally(() => events.close());
}
