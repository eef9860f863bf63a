import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Texts in files named by their SHA-256, in 256 folders by the first two hex digits. */
export interface HashedFiles {
  pathOf(hash: string): string;
  /** Writes the text, unless it is there and whole. It is on the disk when this returns. */
  write(text: string): Promise<string>;
  read(hash: string): Promise<HashedText>;
}

export type HashedText =
  { readonly is: 'found'; readonly text: string } | { readonly is: 'missing' } | { readonly is: 'damaged' };

export function openHashedFiles(folder: string): HashedFiles {
  const pathOf = (hash: string) => join(folder, hash.slice(0, 2), `${hash}.json`);
  return {
    pathOf,
    async write(text) {
      const hash = hashOf(text);
      const path = pathOf(hash);
      await makeFolder(dirname(path));
      const found = await readHashed(path, hash);
      if (found.is !== 'found') await replaceFile(path, text);
      // Also when another process wrote the file: its name may not be on the disk yet.
      await syncFolder(dirname(path));
      return hash;
    },
    read: (hash) => readHashed(pathOf(hash), hash),
  };
}

const hashOf = (data: string | Uint8Array) => createHash('sha256').update(data).digest('hex');

async function readHashed(path: string, hash: string): Promise<HashedText> {
  try {
    const bytes = await readFile(path);
    return hashOf(bytes) === hash ? { is: 'found', text: bytes.toString() } : { is: 'damaged' };
  } catch (error) {
    if (isMissing(error)) return { is: 'missing' };
    throw error;
  }
}

const isMissing = (error: unknown) =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === 'ENOENT';

/** Under a name of its own first: a reader sees the whole file or none, and two writers do not mix. */
async function replaceFile(path: string, text: string): Promise<void> {
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    await writeFile(temporary, text, { flag: 'wx', flush: true });
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

async function makeFolder(folder: string): Promise<void> {
  const made = await mkdir(folder, { recursive: true });
  if (made === undefined) return;
  for (let parent = dirname(folder); parent.length >= dirname(made).length; parent = dirname(parent)) {
    await syncFolder(parent);
    if (parent === dirname(parent)) return;
  }
}

/** Puts the names in a folder on the disk. Windows keeps them itself and opens no folders. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
