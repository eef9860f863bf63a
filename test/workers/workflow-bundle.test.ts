import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { digestSources, PREBUILT, type Sources } from '../../src/workers/bundle-sources.ts';
import { workflowBundle } from '../../src/workers/workflow-bundle.ts';

let modules: string;
let sources: Sources;

beforeEach(async () => {
  modules = join(await mkdtemp(join(tmpdir(), 'holdfast-bundle-')), 'node_modules');
  sources = await install(modules);
  await symlink(resolve('node_modules/@temporalio'), join(modules, '@temporalio'));
});
afterEach(() => rm(dirname(modules), { recursive: true, force: true }));

/** The package as it is installed and built, with one small workflow. */
async function install(place: string): Promise<Sources> {
  const folder = join(place, 'holdfast', 'dist');
  for (const room of ['contracts', 'policy', 'workflows']) {
    await mkdir(join(folder, room), { recursive: true });
    await writeFile(join(folder, room, 'index.js'), `exports.${room} = async () => 'of ${room}';\n`);
  }
  return { folder, extension: '.js' };
}

async function prebuild(fits: string): Promise<string> {
  await writeFile(join(sources.folder, PREBUILT.fits), `${fits}\n`);
  await writeFile(join(sources.folder, PREBUILT.code), 'prebuilt');
  return join(sources.folder, PREBUILT.code);
}

test('the bundle that came with the package is used where it fits', async () => {
  const codePath = await prebuild(await digestSources(sources));
  expect(await workflowBundle(sources)).toEqual({ codePath });
});

test('one that does not fit is made anew, once, and says nothing of where', async () => {
  await prebuild(await digestSources(sources));
  await writeFile(join(sources.folder, 'workflows', 'index.js'), `exports.changed = async () => 'changed';\n`);
  const { codePath } = await workflowBundle(sources);
  expect(dirname(codePath)).toBe(join(modules, '.cache', 'holdfast'));
  const code = await readFile(codePath, 'utf8');
  expect(code).toContain(`'changed'`);
  const [, map = ''] = /;base64,(\S+)\s*$/.exec(code) ?? [];
  const mapped = Buffer.from(map, 'base64').toString();
  expect(mapped.includes('holdfast/dist/workflows/index.js')).toBe(true);
  expect(mapped.includes(sources.folder)).toBe(false);
  await writeFile(codePath, 'kept');
  expect(await workflowBundle(sources)).toEqual({ codePath });
  expect(await readdir(dirname(codePath))).toHaveLength(1);
});

test('where packages cannot be written it is made in a folder of the process’s own', async () => {
  await writeFile(join(modules, '.cache'), 'a file, so that no folder can be made in it');
  const { codePath } = await workflowBundle(sources);
  expect(codePath.startsWith(join(tmpdir(), 'holdfast-workflows-'))).toBe(true);
  expect(await readFile(codePath, 'utf8')).toContain(`'of workflows'`);
  await rm(dirname(codePath), { recursive: true });
});

test('with another version of Temporal another bundle fits', async () => {
  const place = join(modules, 'other', 'node_modules');
  const other = await install(place);
  await mkdir(join(place, '@temporalio', 'worker'), { recursive: true });
  await writeFile(join(place, '@temporalio', 'worker', 'package.json'), '{ "version": "1.0.0" }');
  expect(await digestSources(other)).not.toBe(await digestSources(sources));
});
