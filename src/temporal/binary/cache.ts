import { chmod, mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { compareVersions, OLDEST_VERSION } from './version.ts';

/** A Temporal CLI in our cache. */
export interface CachedBinary {
  readonly path: string;
  readonly version: string;
}

const ENDING = process.platform === 'win32' ? '.exe' : '';
const NAME = /^temporal-(\d+\.\d+\.\d+)(\.exe)?$/;
const STAGING = 'staging-';
const ABANDONED_AFTER_MS = 24 * 60 * 60 * 1000;

/** The newest usable CLI in the cache folder, by its name alone: a start must not cost a look inside. */
export async function findCached(cacheDir: string): Promise<CachedBinary | undefined> {
  const names = await readdir(cacheDir).catch(() => []);
  return names
    .flatMap((name) => {
      const version = NAME.exec(name)?.[1];
      return version ? [{ path: join(cacheDir, name), version }] : [];
    })
    .filter((binary) => compareVersions(binary.version, OLDEST_VERSION) >= 0)
    .sort((a, b) => compareVersions(a.version, b.version))
    .at(-1);
}

/** Puts a finished download under its final name. A rename, so that a concurrent first start sees all of it or nothing. */
export async function keepInCache(cacheDir: string, downloaded: string, version: string): Promise<CachedBinary> {
  const path = join(cacheDir, `temporal-${version}${ENDING}`);
  await chmod(downloaded, 0o755);
  try {
    await rename(downloaded, path);
  } catch (error) {
    // Windows does not replace a running program; then another start was first, with the same file.
    if (!(await stat(path).catch(() => undefined))) throw error;
  }
  return { path, version };
}

/** Lends `download` a folder of its own inside the cache (same disk, so that the rename is one), and cleans up behind it. */
export async function withStagingFolder<Result>(
  cacheDir: string,
  download: (folder: string) => Promise<Result>,
): Promise<Result> {
  await mkdir(cacheDir, { recursive: true });
  await removeAbandoned(cacheDir);
  const folder = await mkdtemp(join(cacheDir, STAGING));
  try {
    return await download(folder);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

// Left behind by a process that was killed while it downloaded.
async function removeAbandoned(cacheDir: string): Promise<void> {
  for (const name of (await readdir(cacheDir)).filter((each) => each.startsWith(STAGING))) {
    const folder = join(cacheDir, name);
    const touched = await stat(folder).catch(() => undefined);
    if (touched && Date.now() - touched.mtimeMs > ABANDONED_AFTER_MS)
      await rm(folder, { recursive: true, force: true });
  }
}
