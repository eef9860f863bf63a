import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { afterEach, expect, test } from '@jest/globals';
import { isAlive } from '../../src/temporal/process-alive.ts';
import { eventually } from '../support/eventually.ts';

const started: ChildProcess[] = [];

afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
});

async function startShell(script: string): Promise<{ pid: number; said: number }> {
  const child = spawn('sh', ['-c', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  started.push(child);
  const [text] = (await once(child.stdout, 'data')) as [Buffer];
  return { pid: child.pid!, said: Number(text) };
}

test('a running process lives', async () => {
  const { pid } = await startShell('echo 0; exec sleep 60');
  expect(isAlive(pid)).toBe(true);
});

test('an ended process does not', async () => {
  const { pid } = await startShell('echo 0');
  await eventually('the process to end', () => !isAlive(pid));
});

const onLinux = process.platform === 'linux' ? test : test.skip;

onLinux('an ended process that nobody collects does not either', async () => {
  // `exec` puts a program in the shell's place that knows nothing of the shell's child, and so never collects it.
  const { pid, said: child } = await startShell('sleep 60 & echo $!; exec sleep 61');
  await eventually('the shell to be replaced', async () =>
    (await readFile(`/proc/${pid}/cmdline`, 'utf8')).startsWith('sleep'),
  );
  process.kill(child, 'SIGKILL');
  await eventually('the child to end', () => !isAlive(child), 5_000);
  expect(() => process.kill(child, 0)).not.toThrow();
});
