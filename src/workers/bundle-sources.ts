import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundleWorkflowCode } from '@temporalio/worker';

/** What goes into the sandbox. */
const ROOMS = ['contracts', 'policy', 'workflows'];
/** Beside the sources that were built: the bundle made of them, and the digest that says of which. */
export const PREBUILT = Object.freeze({ code: 'workflow-bundle.js', fits: 'workflow-bundle.fits' });

export interface Sources {
  /** Absolute: `src`, or what was built of it. */
  readonly folder: string;
  readonly extension: '.ts' | '.js';
}

/** Names the bundle of these sources with the installed Temporal: what has the same digest may be used in its place. */
export async function digestSources({ folder, extension }: Sources): Promise<string> {
  const hash = createHash('sha256').update(workerVersion(folder));
  for (const room of ROOMS) {
    const files = (await readdir(join(folder, room))).filter((file) => file.endsWith(extension)).sort();
    for (const file of files) hash.update(file).update(await readFile(join(folder, room, file)));
  }
  return hash.digest('hex').slice(0, 16);
}

/** Bundles the workflows; takes seconds. The result says nothing of where on this machine it was made. */
export async function bundleSources({ folder, extension }: Sources): Promise<string> {
  const workflowsPath = join(folder, 'workflows', `index${extension}`);
  const { code } = await bundleWorkflowCode({ workflowsPath, logger: QUIET });
  return code.replace(SOURCE_MAP, (_, head: string, map: string) => head + withoutPlace(map, dirname(folder)));
}

const SOURCE_MAP = /(\/\/# sourceMappingURL=data:application\/json;(?:charset=utf-8;)?base64,)(\S+)(?=\s*$)/;

function withoutPlace(map: string, packageFolder: string): string {
  // As JSON writes it, in names of sources and in what Temporal generates.
  const place = JSON.stringify(packageFolder).slice(1, -1);
  return Buffer.from(Buffer.from(map, 'base64').toString().replaceAll(place, 'holdfast')).toString('base64');
}

function workerVersion(folder: string): string {
  const require = createRequire(pathToFileURL(join(folder, 'index.js')));
  const { version } = require('@temporalio/worker/package.json') as { version: string };
  return version;
}

const silent = () => undefined;
const QUIET = { log: silent, trace: silent, debug: silent, info: silent, warn: silent, error: silent };
