import { join } from 'node:path';
import { assertNever } from '../policy/assert-never.ts';
import { CannotStartServer } from './cannot-start-server.ts';
import { prepareDataFolder, publishServer, readLock, releaseLock, takeLock, type ServerRecord } from './data-folder.ts';
import { startDevServer, type DevServer, type DevServerOptions } from './dev-server.ts';
import { sayWhile } from './say.ts';
import { waitUntil } from './wait-until.ts';

/** `joined`: another process owns the server and ends it. `started`: this process does. */
export type LocalServer =
  { readonly is: 'joined'; readonly server: ServerRecord } | { readonly is: 'started'; readonly server: DevServer };

type Options = Omit<DevServerOptions, 'dbFile' | 'dataDir'> & { readonly dataDir: string };

// Longer than a server takes to end politely.
const ENDING_MS = 7_000;
// A first start may download for so long.
const STARTING_MS = 10 * 60_000;

/**
 * The one server of a data folder: joins the one that runs there, else starts it on the folder's server.db. Of several
 * processes that ask at once, one starts and the others join. A lock whose holder died is taken over.
 * @throws CannotStartServer
 */
export async function joinOrStartServer(options: Options): Promise<LocalServer> {
  const { dataDir, onProgress = () => {} } = options;
  await prepareDataFolder(dataDir);
  for (let evenEnding = false; ;) {
    const lock = await takeLock(dataDir, { evenEnding });
    switch (lock.is) {
      case 'mine':
        return { is: 'started', server: await startAndPublish(options) };
      case 'running':
        return { is: 'joined', server: lock.server };
      case 'ending':
        await sayWhile(onProgress, 'the last server here is ending', () => untilNot('ending', dataDir, ENDING_MS));
        evenEnding = true;
        break;
      case 'starting':
        await waitForStarter(lock.pid, options);
        break;
      default:
        assertNever(lock);
    }
  }
}

async function startAndPublish(options: Options): Promise<DevServer> {
  const { dataDir } = options;
  try {
    const server = await startDevServer({ ...options, dbFile: join(dataDir, 'server.db') });
    const { pid, address, uiUrl, version } = server;
    const owner = options.lives === 'on-its-own' ? {} : { owner: process.pid };
    await publishServer(dataDir, { pid, ...owner, address, uiUrl, version, startedAt: Date.now() });
    return { ...server, stop: () => server.stop().then(() => releaseLock(dataDir, pid)) };
  } catch (error) {
    await releaseLock(dataDir, process.pid);
    throw error;
  }
}

async function waitForStarter(pid: number, { dataDir, onProgress = () => {} }: Options): Promise<void> {
  const over = await sayWhile(onProgress, `process ${pid} is starting the server here`, () =>
    untilNot('starting', dataDir, STARTING_MS),
  );
  if (over) return;
  throw new CannotStartServer(
    `cannot start the server: process ${pid} has been starting one in ${dataDir} for 10 min.\n` +
      `  End that process; or, if it is something else, remove ${join(dataDir, 'lock')}. Then try again.`,
  );
}

function untilNot(state: 'ending' | 'starting', dataDir: string, withinMs: number): Promise<true | undefined> {
  return waitUntil(async () => (await readLock(dataDir)).is !== state || undefined, { withinMs });
}
