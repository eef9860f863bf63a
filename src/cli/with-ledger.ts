import type { Ledger } from '../contracts/ledger.ts';
import { openLedger } from '../stores/open-stores.ts';
import { storeAddresses } from '../workers/open-worker-stores.ts';
import type { Cli } from './cli.ts';
import { configIfAny } from './with-client.ts';

/** Opens the ledger alone, to be read: the record of effects is there also when no server is. Makes none. */
export async function withLedger<Answer>(
  cli: Cli,
  work: (ledger: Pick<Ledger, 'read'>) => Promise<Answer>,
): Promise<Answer> {
  const config = await configIfAny(cli);
  const ledger = openLedger(storeAddresses(config ?? {}, cli.settings).ledger, { creates: false });
  try {
    return await work(ledger);
  } finally {
    await ledger.close();
  }
}
