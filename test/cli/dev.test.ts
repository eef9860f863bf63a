import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { CONFIG, endClis, runCli, startCli } from './run-cli.ts';

let cwd: string;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'holdfast-dev-'));
});
afterEach(async () => {
  await endClis();
  await rm(cwd, { recursive: true, force: true, maxRetries: 5 });
});

const SERVER = /Server {2}127\.0\.0\.1:(\d+)/;

test('dev starts the server of its folder, a second one joins it, and runs outlive both', async () => {
  const first = startCli(['dev'], { cwd });
  await first.saw(/ready in/);
  const [, port = ''] = await first.saw(SERVER);
  expect((await first.saw(/Worker .*/))[0]).toBe('Worker  none: no holdfast.config.ts here');

  const joined = await runCli(['dev'], { cwd });
  expect(joined).toMatchObject({ code: 0, stderr: '' });
  expect(joined.stdout).toMatch(new RegExp(`Server {2}127\\.0\\.0\\.1:${port} · joined, process \\d+ runs it already`));
  expect(await runCli(['inbox'], { cwd })).toMatchObject({ code: 0, stdout: expect.stringContaining('Nothing waits') });

  const waiting = await runCli(['start', 'support', '--input', 'Hello', '--run', 'r1'], { cwd });
  expect(waiting.stdout).toContain('Worker  none yet: the run waits for one.  npx holdfast dev\n');
  const worker = startCli(['dev', '--config', CONFIG], { cwd });
  await worker.saw(/Worker {2}agent support/);
  const shown = startCli(['watch', 'r1'], { cwd });
  await shown.saw(/ended +completed/);

  first.interrupt();
  expect(await first.ended).toMatchObject({ code: 0, stdout: expect.stringContaining('Ended: server. Runs are kept') });
  const left = await worker.ended;
  expect(left).toMatchObject({ code: 1, stderr: expect.stringContaining(`the server at 127.0.0.1:${port} has ended`) });

  const again = startCli(['dev', '--config', CONFIG], { cwd });
  await again.saw(/ready in/);
  expect((await runCli(['ls'], { cwd })).stdout).toMatch(/completed +r1 +support/);
  again.interrupt();
  expect(await again.ended).toMatchObject({ code: 0, stdout: expect.stringContaining('Ended: server and worker.') });
});

test('dev says who holds a port it was told to take, and what to do', async () => {
  const first = startCli(['dev'], { cwd });
  const [, port = ''] = await first.saw(SERVER);
  const taken = await runCli(['dev', '--port', port, '--data', 'other'], { cwd });
  expect(taken.code).toBe(1);
  expect(taken.stderr).toBe(
    `holdfast: cannot start the server: port ${port} is taken by another Temporal (namespace default, 0 runs).\n` +
      `  Use it:       npx holdfast dev --address 127.0.0.1:${port} --data other\n` +
      `  Or another:   npx holdfast dev --port ${Number(port) + 100} --data other\n`,
  );
});

test.each([
  ['the folder has no server', ['ls'], {}, 'no Temporal server runs for', '  Start it: .*npx holdfast dev'],
  [
    'the named server is away',
    ['inbox'],
    { TEMPORAL_ADDRESS: '127.0.0.1:9' },
    'cannot reach Temporal at 127.0.0.1:9',
    '  Check: ',
  ],
])('commands end with 4 and a remedy when %s', async (_, args, env, what, remedy) => {
  const { code, stdout, stderr } = await runCli(args, { cwd, env });
  expect({ code, stdout }).toEqual({ code: 4, stdout: '' });
  expect(stderr).toMatch(new RegExp(`^holdfast: ${what}[^]*\\n${remedy}`));
  expect(stderr).not.toMatch(/^ {4}at /m);
});
