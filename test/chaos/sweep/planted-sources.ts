import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Plant } from './plants.ts';
import type { WorkerProgram } from './sweep-worker.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
/** What a worker of the sweep is made of. */
const PARTS = ['src', 'test/chaos/sweep', 'test/support', 'package.json'];

export interface PlantedSources {
  readonly program: WorkerProgram;
  remove(): Promise<void>;
}

/** Copies the sources into a folder of their own and plants one bug in the copy. @throws when its text is not there once. */
export async function plantIn({ name, file, from, to }: Plant): Promise<PlantedSources> {
  const folder = await mkdtemp(join(tmpdir(), `holdfast-${name}-`));
  for (const part of PARTS) await cp(join(ROOT, part), join(folder, part), { recursive: true });
  await linkPackages(folder);
  const path = join(folder, file);
  const text = await readFile(path, 'utf8');
  const [before, after, ...more] = text.split(from);
  if (before === undefined || after === undefined || more.length > 0)
    throw new Error(`Plant ${name}: its text occurs ${text.split(from).length - 1} times in ${file}, not once.`);
  await writeFile(path, before + to + after);
  return {
    program: pathToFileURL(join(folder, 'test/chaos/sweep/worker.process.ts')),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Each package by a link, so that the cache beside them is the copy's own. */
async function linkPackages(folder: string): Promise<void> {
  const modules = join(folder, 'node_modules');
  await mkdir(modules);
  const names = (await readdir(join(ROOT, 'node_modules'))).filter((name) => !name.startsWith('.'));
  await Promise.all(names.map((name) => symlink(join(ROOT, 'node_modules', name), join(modules, name))));
}
