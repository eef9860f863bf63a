import { spawn, execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, expect, test } from '@jest/globals';
import { eventually } from '../support/eventually.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../', import.meta.url));
const CONFIG = 'examples/hello/holdfast.config.ts';

let folder = '';
let stopDev: () => Promise<void> = () => Promise.resolve();
afterEach(async () => {
  await stopDev();
  await rm(folder, { recursive: true, force: true });
});

test('the agent in the README is the one in the examples', async () => {
  const readme = await readFile(join(root, 'README.md'), 'utf8');
  const shown = /<!-- (\S+) -->\n```ts\n([\s\S]*?)```/.exec(readme);
  expect(shown?.[1]).toBe(CONFIG);
  expect(shown?.[2]).toBe(await readFile(join(root, CONFIG), 'utf8'));
  expect(shown?.[2]?.trim().split('\n').length).toBeLessThanOrEqual(25);
});

test('and runs with the commands that the README prints, without a key', async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-readme-'));
  const readme = await readFile(join(root, 'README.md'), 'utf8');
  const [dev, start] = ['dev', 'start'].map(
    (name) => new RegExp(`^npx holdfast ${name} .*$`, 'm').exec(readme)?.[0] ?? '',
  );
  const env = { ...process.env, HOLDFAST_DATA: folder };
  const child = spawn(dev ?? '', { cwd: root, env, shell: '/bin/sh', detached: true });
  const gone = once(child, 'close');
  stopDev = async () => {
    // The whole group: npx, the shell, and the command they run.
    process.kill(-Number(child.pid), 'SIGINT');
    await gone;
  };
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  await eventually('dev to be ready', () => said.includes('holdfast start'), 60_000);
  const { stdout } = await run('/bin/sh', ['-c', start ?? ''], { cwd: root, env });
  expect(stdout).toContain('re_A-1042');
}, 120_000);
