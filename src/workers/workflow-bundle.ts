import { access, mkdir, mkdtemp, readFile, rename, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleSources, digestSources, PREBUILT, type Sources } from './bundle-sources.ts';

const FOLDER = dirname(dirname(fileURLToPath(import.meta.url)));
const OURS: Sources = { folder: FOLDER, extension: extname(import.meta.url) === '.ts' ? '.ts' : '.js' };

/**
 * The path of the workflow bundle: the one that came with the package where it fits these sources and the installed Temporal;
 * else made once and kept beside the package, because bundling takes seconds and a worker should start at once.
 */
export async function workflowBundle(sources = OURS): Promise<{ codePath: string }> {
  const fits = await digestSources(sources);
  return { codePath: (await findPrebuilt(sources, fits)) ?? (await findOrMake(sources, fits)) };
}

async function findPrebuilt({ folder }: Sources, fits: string): Promise<string | undefined> {
  const found = await readFile(join(folder, PREBUILT.fits), 'utf8').catch(() => undefined);
  return found?.trim() === fits ? join(folder, PREBUILT.code) : undefined;
}

async function findOrMake(sources: Sources, fits: string): Promise<string> {
  const folder = join(modulesOf(sources.folder), '.cache', 'holdfast');
  const name = `workflows-${fits}.js`;
  if (await isThere(join(folder, name))) return join(folder, name);
  const code = await bundleSources(sources);
  try {
    await mkdir(folder, { recursive: true });
    return await keep(code, join(folder, name));
  } catch {
    // Installed where this user may not write. A folder of this process's own: in a shared one others could leave code for us.
    return keep(code, join(await mkdtemp(join(tmpdir(), 'holdfast-workflows-')), name));
  }
}

/** The folder of packages that the package is in, or that is in the clone. */
function modulesOf(folder: string): string {
  const installed = /^(.*[\\/]node_modules)[\\/]/.exec(folder)?.[1];
  return installed ?? join(dirname(folder), 'node_modules');
}

async function keep(code: string, codePath: string): Promise<string> {
  const draft = `${codePath}.${process.pid}`;
  await writeFile(draft, code);
  await rename(draft, codePath);
  return codePath;
}

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
