import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readCrash } from './crash.ts';

/** How many reports a folder holds, and how many crashes they are: worked out here, without the run. */
export async function countReports(folder: string): Promise<{ readonly reports: number; readonly groups: number }> {
  const entries = await readdir(folder, { withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && !entry.name.startsWith('.')).map(({ name }) => name);
  const texts = await Promise.all(
    files.map(async (file) => (await readFile(join(folder, file))).subarray(0, 200_000).toString()),
  );
  return { reports: files.length, groups: new Set(texts.map((text) => readCrash(text).id)).size };
}
