import { readdir, readFile } from 'node:fs/promises';
import { join, matchesGlob } from 'node:path';
import type { Fixture } from './fixture.ts';

/**
 * Reads the JSON cases of a folder, by name. `only`: a glob for their names, with or without `.json`; one that begins with `!`
 * leaves out.
 * @throws when a file is no case, or nothing is left.
 */
export async function loadFixtures(folder: string, only?: string): Promise<readonly Fixture[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.json')).sort();
  const chosen = files.filter((file) => isChosen(file.slice(0, -'.json'.length), only));
  if (chosen.length === 0) {
    const what = only === undefined ? 'It has no .json file' : `None of its ${files.length} names fits ${only}`;
    throw new Error(`There is no case to run in ${folder}. ${what}.`);
  }
  return Promise.all(chosen.map((file) => readFixture(join(folder, file))));
}

function isChosen(name: string, only: string | undefined): boolean {
  if (only === undefined) return true;
  const isNot = only.startsWith('!');
  const glob = isNot ? only.slice(1) : only;
  return (matchesGlob(name, glob) || matchesGlob(`${name}.json`, glob)) !== isNot;
}

async function readFixture(file: string): Promise<Fixture> {
  const fixture = JSON.parse(await readFile(file, 'utf8')) as Partial<Fixture>;
  const { name, provider, call, expect } = fixture;
  if (name && provider && call && expect) return fixture as Fixture;
  throw new Error(`${file} is no case: name, provider, call and expect are wanted.`);
}
