import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { BIN, CONFIG, endClis, NPX, runCli, startProgram } from './run-cli.ts';

let cwd: string;
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'holdfast-bin-'));
  await writeFile(join(cwd, 'broken.ts'), 'throw new Error("DB_URL is not set");');
  await writeFile(join(cwd, 'empty.ts'), 'export default {};');
});
afterAll(async () => {
  await endClis();
  await rm(cwd, { recursive: true, force: true });
});

test('npx finds the command in a clone, without a build and without a registry', async () => {
  const { code, stdout } = await startProgram('npx', ['holdfast', '--version'], { env: NPX }).ended;
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
});

test.each(['20.11.0', '22.17.1'])('Node %s is too old, and the command says which one it needs', async (version) => {
  const old = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })`;
  const args = ['--import', `data:text/javascript,${encodeURIComponent(old)}`, BIN, 'ls'];
  const { code, stderr } = await startProgram(process.execPath, args, { cwd }).ended;
  expect(code).toBe(1);
  expect(stderr).toContain(`holdfast: needs Node 22.18 or newer; this is Node ${version}.`);
});

test('without a command it shows its help', async () => {
  const { code, stdout } = await runCli([], { cwd });
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('Begin with:  npx holdfast dev') });
  expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
});

test('tools needs no server', async () => {
  const { code, stdout } = await runCli(['tools', 'support', '--config', CONFIG], { cwd });
  expect(code).toBe(0);
  expect(stdout).toMatch(/refund +none +outcome unknown +waits, again \*\* +outcome unknown/);
  expect(stdout).toContain('No named intent: ship, send_note.');
});

test.each([
  ['there is none', ['tools'], 2, 'there is no holdfast.config.ts in'],
  ['there is none where it was said to be', ['ls', '--config', 'nowhere.ts'], 2, 'there is no configuration at'],
  ['it cannot be loaded', ['tools', '--config', 'broken.ts'], 1, 'cannot load broken.ts of'],
  [
    'it exports something else',
    ['dev', '--config', 'empty.ts'],
    1,
    'empty.ts has no default export made by defineConfig',
  ],
  ['it lacks the agent', ['tools', 'suport', '--config', CONFIG], 2, 'Did you mean "support"?'],
])('a configuration is missed in words when %s', async (_, args, code, why) => {
  const end = await runCli(args, { cwd });
  expect(end).toMatchObject({ code, stderr: expect.stringContaining(`holdfast: `) });
  expect(end.stderr).toContain(why);
  expect(end.stderr).not.toMatch(/^ {4}at /m);
});
