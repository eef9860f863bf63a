import { createHash } from 'node:crypto';
import { readdir, readFile, mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode } from '@temporalio/worker';

const SOURCE = dirname(dirname(fileURLToPath(import.meta.url)));
const ROOMS = ['contracts', 'policy', 'workflows'];

/**
 * The path of the workflow bundle. Made once for the sources as they are and kept in the package's cache: bundling takes
 * seconds, and a worker should start at once.
 */
export async function workflowBundle(): Promise<{ codePath: string }> {
  const codePath = join(dirname(SOURCE), 'node_modules', '.cache', 'holdfast', `workflows-${await digestSources()}.js`);
  try {
    await readFile(codePath, { flag: 'r' });
  } catch {
    // Not there yet, or not readable: made anew.
    await makeBundle(codePath);
  }
  return { codePath };
}

async function makeBundle(codePath: string): Promise<void> {
  const workflowsPath = join(SOURCE, 'workflows', `index${extname(fileURLToPath(import.meta.url))}`);
  const { code } = await bundleWorkflowCode({ workflowsPath, logger: QUIET });
  await mkdir(dirname(codePath), { recursive: true });
  const draft = `${codePath}.${process.pid}`;
  await writeFile(draft, code);
  await rename(draft, codePath);
}

async function digestSources(): Promise<string> {
  const hash = createHash('sha256');
  for (const room of ROOMS) {
    const files = (await readdir(join(SOURCE, room))).filter((file) => /\.[jt]s$/.test(file)).sort();
    for (const file of files) hash.update(file).update(await readFile(join(SOURCE, room, file)));
  }
  return hash.digest('hex').slice(0, 16);
}

const silent = () => undefined;
const QUIET = { log: silent, trace: silent, debug: silent, info: silent, warn: silent, error: silent };
