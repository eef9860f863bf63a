import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { makeFolder } from './make-folder.ts';

/** Where a server writes what it has to say. */
export interface ServerLog {
  readonly file: string;
  /** Removes the log if its folder was made for it alone. After a failed start nobody does: the message points there. */
  remove(): Promise<void>;
}

/** Makes the folders of the data file and of the log, the latter in a temporary place when nothing is kept. @throws CannotStartServer */
export async function prepareLog(places: { readonly dataDir?: string; readonly dbFile?: string }): Promise<ServerLog> {
  const { dbFile, dataDir = dbFile && dirname(dbFile) } = places;
  if (dbFile) await makeFolder(dirname(dbFile));
  if (dataDir) {
    await makeFolder(dataDir);
    return { file: join(dataDir, 'server.log'), remove: () => Promise.resolve() };
  }
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-'));
  return { file: join(folder, 'server.log'), remove: () => rm(folder, { recursive: true, force: true }) };
}
