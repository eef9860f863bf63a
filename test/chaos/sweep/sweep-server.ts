import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { startDevServer, type DevServer } from '../../../src/temporal/dev-server.ts';

/** A Temporal server of the sweep's own, with its database in a file, that can be killed and started again in place. */
export interface SweepServer {
  readonly address: string;
  /** SIGKILL, a moment of silence, and the same server again: same port, same data. */
  killAndRestart(): Promise<void>;
  stop(): Promise<void>;
}

/** How long the server is away. */
const AWAY_MS = 2_000;

export async function startSweepServer(folder: string): Promise<SweepServer> {
  await mkdir(folder, { recursive: true });
  const place = { dataDir: folder, dbFile: join(folder, 'server.db') };
  let server = await startDevServer(place);
  const { address } = server;
  const port = Number(address.split(':')[1]);
  return {
    address,
    async killAndRestart() {
      await killed(server);
      await new Promise((resolve) => setTimeout(resolve, AWAY_MS));
      server = await startDevServer({ ...place, port });
    },
    stop: () => server.stop(),
  };
}

async function killed({ pid, ended }: DevServer): Promise<void> {
  const gone = new Promise((resolve) => {
    ended.addEventListener('abort', resolve, { once: true });
  });
  process.kill(pid, 'SIGKILL');
  if (!ended.aborted) await gone;
}
