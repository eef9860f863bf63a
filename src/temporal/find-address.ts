import type { ConnectionOptions } from '@temporalio/client';
import { assertNever } from '../policy/assert-never.ts';
import { readLock } from './data-folder.ts';
import { noLocalServer } from './server-not-reached.ts';
import type { Settings } from './settings.ts';

export type ConnectSettings = Pick<Settings, 'temporal' | 'dataDir'>;

// What envconfig yields fits both kinds of connection; the client's type is the narrower one.
type Options = Pick<ConnectionOptions, 'tls' | 'metadata'> & { readonly apiKey?: string };

/** Where to connect: the server the user named, or the one the data folder's lock names. @throws ServerNotReached */
export async function findAddress({
  temporal,
  dataDir,
}: ConnectSettings): Promise<{ address: string; options: Options }> {
  if (temporal.is === 'external') return { address: temporal.address, options: temporal.connectionOptions };
  const lock = await readLock(dataDir);
  switch (lock.is) {
    case 'running':
      return { address: lock.server.address, options: {} };
    case 'none':
      throw noLocalServer(dataDir, 'none was started');
    case 'starting':
      throw noLocalServer(dataDir, `process ${lock.pid} is starting it`);
    case 'ending':
      throw noLocalServer(
        dataDir,
        `process ${lock.server.pid}, at ${lock.server.address}, is ending or does not answer`,
      );
    case 'stale':
      throw noLocalServer(dataDir, lock.why);
    default:
      return assertNever(lock);
  }
}
