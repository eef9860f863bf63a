import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Where a store of one test lives. */
export interface StorePlace {
  readonly address: string;
  remove(): Promise<void>;
}

/** An empty folder of the test's own; the test removes it. */
export const makeFolder = () => mkdtemp(join(tmpdir(), 'holdfast-stores-'));

export const removeFolder = (folder: string) => rm(folder, { recursive: true, force: true });

/** A place for a store that is a file or folder called `name` in a folder that does not exist yet. */
export async function makeLocalPlace(scheme: string, name: string): Promise<StorePlace> {
  const folder = await makeFolder();
  return { address: `${scheme}:${join(folder, 'not-there-yet', name)}`, remove: () => removeFolder(folder) };
}
