import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { defineAgent, defineConfig } from '../../src/policy/define-agent.ts';
import { holdfast } from '../../src/plugin.ts';
import { readSettings } from '../../src/temporal/settings.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';
import { installRuntime } from '../../src/workers/install-runtime.ts';
import { quietLogger } from '../support/quiet-logger.ts';
import { testAddress } from '../support/rig.ts';

let folder = '';
afterEach(() => rm(folder, { recursive: true, force: true }));

test('a workflow that asks an agent the same thing again gets the same run’s answer; another thing is another run', async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-own-'));
  installRuntime(quietLogger, undefined);
  const address = testAddress();
  const taskQueue = `own-${process.pid}-${Date.now()}`;
  let asked = 0;
  const model = scriptedModel(({ user }) => ({ text: `${user} ${++asked}` }), { delayMs: 200 });
  const agent = defineAgent({ name: 'tester', instructions: '', model, tools: [] });
  const settings = readSettings({ HOLDFAST_DATA: folder, TEMPORAL_ADDRESS: address });
  const nativeConnection = await NativeConnection.connect({ address });
  const worker = await Worker.create({
    connection: nativeConnection,
    taskQueue,
    workflowsPath: fileURLToPath(new URL('./own-workflows.ts', import.meta.url)),
    plugins: [holdfast(defineConfig({ agents: [agent], taskQueue }), { settings })],
  });
  const connection = await Connection.connect({ address });
  const answers: unknown = await worker.runUntil(
    new Client({ connection }).workflow.execute('wantsTwice', { taskQueue, workflowId: taskQueue, args: [] }),
  );
  const [same, again, other, later] = answers as readonly string[];
  expect([again, later]).toEqual([same, same]);
  expect(other).toMatch(/^other/);
  expect(asked).toBe(2);
  await Promise.all([connection.close(), nativeConnection.close()]);
});
