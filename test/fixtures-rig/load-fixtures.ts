import { readdir, readFile } from 'node:fs/promises';
import { join, matchesGlob } from 'node:path';
import { faultsOfFixture } from './check-fixture.ts';
import type { Fixture } from './fixture.ts';

/** A file that holds no case that can be run, and why. */
export interface BadFixture {
  /** That of the file. */
  readonly name: string;
  readonly faults: readonly string[];
}

/**
 * Reads the JSON cases of a folder, by name. `only`: a glob for their names, with or without `.json`; one that begins with `!`
 * leaves out. A file that is no case is handed on as one that has failed.
 * @throws when nothing is left.
 */
export async function loadFixtures(folder: string, only?: string): Promise<readonly (Fixture | BadFixture)[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.json')).sort();
  const chosen = files.filter((file) => isChosen(file.slice(0, -'.json'.length), only));
  if (chosen.length === 0) {
    const what = only === undefined ? 'It has no .json file' : `None of its ${files.length} names fits ${only}`;
    throw new Error(`There is no case to run in ${folder}. ${what}.`);
  }
  return Promise.all(chosen.map((file) => readFixture(folder, file)));
}

function isChosen(name: string, only: string | undefined): boolean {
  if (only === undefined) return true;
  const isNot = only.startsWith('!');
  const glob = isNot ? only.slice(1) : only;
  return (matchesGlob(name, glob) || matchesGlob(`${name}.json`, glob)) !== isNot;
}

async function readFixture(folder: string, file: string): Promise<Fixture | BadFixture> {
  try {
    const value = JSON.parse(await readFile(join(folder, file), 'utf8')) as unknown;
    const faults = [...faultsOfFixture(value), ...faultsOfName(value, file)];
    return faults.length === 0 ? (value as Fixture) : { name: file, faults };
  } catch (error) {
    return { name: file, faults: [`cannot be read: ${(error as Error).message}`] };
  }
}

function faultsOfName(value: unknown, file: string): readonly string[] {
  const name = (value as Partial<Fixture> | null)?.name;
  const wanted = file.slice(0, -'.json'.length);
  return name === undefined || name === wanted ? [] : [`name: it is "${name}", and that of its file "${wanted}".`];
}
