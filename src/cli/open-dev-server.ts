import { readLock } from '../temporal/data-folder.ts';
import { joinOrStartServer } from '../temporal/join-or-start-server.ts';
import type { Settings } from '../temporal/settings.ts';
import type { ServerInUse } from './screens/dev-screen.ts';

/** The server that `dev` works with. */
export interface DevServerInUse {
  readonly report: ServerInUse;
  /** Aborted when it has gone, whoever ended it; never for one that is not ours. */
  readonly gone: AbortSignal;
  /** Ends it if this process started it. */
  close(): Promise<void>;
}

export interface DevServerWish {
  readonly settings: Settings;
  readonly port?: number;
  readonly uiPort?: number;
  readonly onProgress: (line: string) => void;
}

const LOOK_EVERY_MS = 1_000;

/** The server the environment names, else the data folder's: joined when it runs, started when it does not. @throws CannotStartServer */
export async function openDevServer({ settings, port, uiPort, onProgress }: DevServerWish): Promise<DevServerInUse> {
  const { temporal, dataDir } = settings;
  if (temporal.is === 'external') {
    const { address, namespace } = temporal;
    return {
      report: { is: 'external', address, namespace },
      gone: new AbortController().signal,
      close: () => Promise.resolve(),
    };
  }
  const local = await joinOrStartServer({
    dataDir,
    settings,
    namespace: temporal.namespace,
    onProgress,
    ...(port !== undefined && { port }),
    ...(uiPort !== undefined && { uiPort }),
  });
  const { address, uiUrl, pid, version } = local.server;
  const report = { is: local.is, address, uiUrl, pid, version };
  if (local.is === 'started') return { report, gone: local.server.ended, close: () => local.server.stop() };
  return { report, ...watchJoined(dataDir, pid) };
}

/** Another process's server tells us nothing: its lock is looked at now and then. */
function watchJoined(dataDir: string, pid: number): Pick<DevServerInUse, 'gone' | 'close'> {
  const gone = new AbortController();
  const timer = setInterval(() => {
    void readLock(dataDir).then((lock) => {
      const isThere = (lock.is === 'running' || lock.is === 'ending') && lock.server.pid === pid;
      if (!isThere) gone.abort();
    });
  }, LOOK_EVERY_MS);
  return {
    gone: gone.signal,
    close: async () => {
      clearInterval(timer);
    },
  };
}
