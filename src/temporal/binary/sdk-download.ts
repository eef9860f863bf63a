import { readdir, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runProgram } from '../run-program.ts';
import { sayWhile, type Say } from '../say.ts';
import type { Environment } from '../settings.ts';
import { keepInCache, withStagingFolder } from './cache.ts';
import type { Finding } from './finding.ts';
import { readVersion } from './version.ts';

const PROCESS = fileURLToPath(new URL(`./sdk-download.process${extname(import.meta.url)}`, import.meta.url));
const GIVE_UP_AFTER_MS = 5_000;
const LOOK_EVERY_MS = 100;

/** Downloads the CLI as Temporal's SDK does. Gives up, with one line, once nothing has arrived for 5 s. @throws when the cache cannot be written. */
export async function downloadWithSdk(cacheDir: string, env: Environment, say: Say): Promise<Finding> {
  return withStagingFolder(cacheDir, async (folder) => {
    const stalled = new AbortController();
    const watching = watchGrowth(folder, stalled);
    const end = await sayWhile(say, 'downloading the Temporal server (45 MB) with the Temporal SDK', () =>
      runProgram(process.execPath, [PROCESS, folder], { env, signal: stalled.signal }),
    ).finally(() => {
      clearInterval(watching);
    });
    const [name] = (await readdir(folder)).filter((each) => !each.endsWith('.downloading'));
    if (!name) return { is: 'missing', why: stalled.signal.aborted ? 'nothing arrived for 5 s' : readReason(end) };
    const answer = await readVersion(join(folder, name), env);
    if (answer.is === 'unusable') return { is: 'missing', why: answer.why };
    return { is: 'found', ...(await keepInCache(cacheDir, join(folder, name), answer.version)) };
  });
}

function watchGrowth(folder: string, stalled: AbortController): NodeJS.Timeout {
  let sizeBytes = 0;
  let grewAt = performance.now();
  const look = async () => {
    const now = await folderSizeBytes(folder);
    if (now > sizeBytes) [sizeBytes, grewAt] = [now, performance.now()];
    if (performance.now() - grewAt > GIVE_UP_AFTER_MS) stalled.abort();
  };
  return setInterval(() => void look(), LOOK_EVERY_MS);
}

async function folderSizeBytes(folder: string): Promise<number> {
  const names = await readdir(folder).catch(() => []);
  const sizes = await Promise.all(
    names.map((name) =>
      stat(join(folder, name)).then(
        (file) => file.size,
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

// Core nests the same reason several times, the plainest last.
function readReason(end: Awaited<ReturnType<typeof runProgram>>): string {
  if (end.is === 'not-run') return end.why;
  return (
    end.output
      .trim()
      .split(/: (?=[a-z])/)
      .at(-1) || 'it ended without a file'
  );
}
