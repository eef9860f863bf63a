import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { freePorts } from '../../src/temporal/ports.ts';
import { eventually } from '../support/eventually.ts';
import { testAddress } from '../support/rig.ts';
import { script } from './desk.ts';
import { CONFIG, endClis, runCli, startCli, type RunningCli } from './run-cli.ts';

let data: string;
let env: Readonly<Record<string, string>>;
let holder: Server | undefined;
beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), 'holdfast-worker-'));
  env = { HOLDFAST_DATA: data, TEMPORAL_ADDRESS: testAddress(), HOLDFAST_TEST_QUEUE: basename(data) };
});
afterEach(async () => {
  holder?.close();
  await endClis();
  await rm(data, { recursive: true, force: true, maxRetries: 5 });
});

const start = (...args: readonly string[]): RunningCli => startCli(['worker', '--config', CONFIG, ...args], { env });

async function ask(port: number, path: string): Promise<{ status: number; text: string }> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`);
  return { status: response.status, text: await response.text() };
}

test('worker says what it does, answers who asks for its health, and lets calls end when told to stop', async () => {
  const { health, metrics } = await freePorts('health', 'metrics');
  const worker = start('--health-port', `${health}`, '--metrics-port', `${metrics}`, '--grace', '3s');
  await worker.saw(/^Holdfast worker · agent support · task queue holdfast-worker-/m);
  await worker.saw(/^ready in /m);
  const [said] = await worker.saw(/^ {2}Server[^]*?\nready/m);
  expect(said).toContain(`Server   ${testAddress()} · namespace default`);
  expect(said).toContain(`Metrics  http://127.0.0.1:${metrics}/metrics`);
  expect(await ask(health, '/healthz')).toMatchObject({ status: 200 });
  await eventually('the worker to be ready', async () => (await ask(health, '/readyz')).status === 200);

  const refund = script([{ tool: 'refund', order: 'A-1' }]);
  const run = ['start', 'support', '--config', CONFIG, '--run', basename(data), '--input', refund, '--wait'];
  expect(await runCli(run, { env })).toMatchObject({ code: 3 });
  expect((await ask(metrics, '/metrics')).text).toMatch(/^temporal_\w+/m);

  // The body of the refund still runs: nobody waits for it, but its news would count.
  const stoppedAt = Date.now();
  worker.interrupt('SIGTERM');
  await worker.saw(/^shutting down; 1 call under way may end first, within 3s$/m);
  expect(await ask(health, '/healthz')).toMatchObject({ status: 200 });
  expect(await ask(health, '/readyz')).toMatchObject({ status: 503, text: expect.stringContaining('the worker is') });
  expect(await worker.ended).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(/\nEnded: worker\./) });
  expect(Date.now() - stoppedAt).toBeLessThan(5_000);
});

test('a worker whose ledger is gone lives, and is not ready', async () => {
  const { health } = await freePorts('health');
  const worker = start('--health-port', `${health}`, '--json');
  await worker.saw(/"healthPort":\d+/);
  await eventually('the worker to be ready', async () => (await ask(health, '/readyz')).status === 200);
  await rm(data, { recursive: true, force: true, maxRetries: 5 });
  expect(await ask(health, '/readyz')).toEqual({ status: 503, text: expect.stringMatching(/ledger.*removed/) });
  expect(await ask(health, '/healthz')).toMatchObject({ status: 200 });
  worker.interrupt('SIGTERM');
  expect(await worker.ended).toMatchObject({ code: 0 });
});

test.each([
  ['--health-port', 'Cannot answer /healthz on 127.0.0.1:'],
  ['--metrics-port', 'Cannot serve /metrics on 127.0.0.1:'],
])('a %s that is taken is said at once, with what to do', async (option, why) => {
  holder = createServer().listen(0, '127.0.0.1');
  await once(holder, 'listening');
  const { port } = holder.address() as AddressInfo;
  const end = await start(option, `${port}`).ended;
  expect(end).toMatchObject({ code: 1, stderr: expect.stringContaining(`holdfast: ${why}${port}: the port is taken`) });
  expect(end.stderr).toContain(`Choose another with ${option}.`);
});

test.each([
  ['no server is reached', ['--address', '127.0.0.1:9'], 4, 'cannot reach Temporal at 127.0.0.1:9'],
  ['there is no configuration', ['--config', 'nowhere.ts'], 2, 'there is no configuration at'],
  ['a time has no unit', ['--grace', '10'], 2, 'Write a number with a unit'],
])('worker ends when %s', async (_, args, code, why) => {
  expect(await start(...args).ended).toMatchObject({ code, stderr: expect.stringContaining(why) });
});
