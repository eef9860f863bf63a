import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { Environment } from '../settings.ts';

/** The first executable file of that name on PATH, as a shell would find it; undefined when there is none. */
export async function searchPath(name: string, env: Environment): Promise<string | undefined> {
  const endings = process.platform === 'win32' ? (env.PATHEXT ?? '.EXE;.CMD').split(';') : [''];
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  for (const path of folders.flatMap((folder) => endings.map((ending) => join(folder, name + ending)))) {
    if (await isExecutable(path)) return path;
  }
  return undefined;
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
