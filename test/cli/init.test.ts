import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { dependencyOnUs, readOwnPackage } from '../../src/cli/own-package.ts';
import { runCli, startProgram } from './run-cli.ts';

let cwd: string;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'holdfast-init-'));
});
afterEach(() => rm(cwd, { recursive: true, force: true }));

test('init writes a project and says what to do next', async () => {
  const { code, stdout } = await runCli(['init', 'My Agent'], { cwd });
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining("cd 'My Agent' && npm install") });
  const files = [
    '.gitignore',
    'README.md',
    'holdfast.config.ts',
    'tsconfig.json',
    'src/agent.ts',
    'test/refund.test.ts',
  ];
  for (const file of files) expect(stdout).toContain(`\n  ${file}\n`);
  const made = JSON.parse(await readFile(join(cwd, 'My Agent', 'package.json'), 'utf8')) as Record<string, object>;
  expect(made).toMatchObject({ name: 'my-agent', type: 'module', scripts: { dev: 'holdfast dev' } });
  // This is a clone: what it depends on is found here, and no registry has it.
  const { holdfast = '' } = made['dependencies'] as Record<string, string>;
  expect(resolve(cwd, 'My Agent', holdfast.replace(/^file:/, ''))).toBe(resolve('.'));
});

test('init overwrites nothing: it names what is there, and writes nothing at all', async () => {
  await mkdir(join(cwd, 'src'));
  await writeFile(join(cwd, 'src', 'agent.ts'), 'mine');
  const { code, stderr } = await runCli(['init'], { cwd });
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(`${cwd} has src/agent.ts already`) });
  expect(await readFile(join(cwd, 'src', 'agent.ts'), 'utf8')).toBe('mine');
  await expect(readFile(join(cwd, 'package.json'))).rejects.toThrow('ENOENT');
});

test('the tests that init writes pass', async () => {
  const args = [
    '--conditions=holdfast-source',
    '--test',
    '--test-reporter=tap',
    'templates/project/test/refund.test.ts',
  ];
  const { code, stdout } = await startProgram(process.execPath, args, {}).ended;
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/# pass 3\n# fail 0/) });
});

test.each([
  ['a registry', 'https://registry.test/holdfast.tgz', `^${readOwnPackage().version}`],
  ['a tarball beside the project', 'file:../holdfast.tgz', 'file:../../holdfast.tgz'],
])('a Holdfast installed from %s is depended on the same way', async (_, resolved, dependency) => {
  const modules = join(cwd, 'project', 'node_modules');
  await mkdir(modules, { recursive: true });
  const lock = { packages: { 'node_modules/holdfast': { resolved } } };
  await writeFile(join(modules, '.package-lock.json'), JSON.stringify(lock));
  expect(dependencyOnUs(join(cwd, 'project', 'my-agent'), join(modules, 'holdfast'))).toBe(dependency);
});
