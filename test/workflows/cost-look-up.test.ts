import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { defineAgent, defineConfig } from '../../src/policy/define-agent.ts';
import { holdfast } from '../../src/plugin.ts';
import { openEvents } from '../../src/stores/open-stores.ts';
import { readSettings } from '../../src/temporal/settings.ts';
import { scriptedModel, startGenerationServer } from '../../src/testing/index.ts';
import { installRuntime } from '../../src/workers/install-runtime.ts';
import { modelAttempt, started, UNKNOWN } from '../policy/cost-events.ts';
import { quietLogger } from '../support/quiet-logger.ts';
import { testAddress } from '../support/rig.ts';

test('a look-up is begun once for a call, and outlives the run that began it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-cost-'));
  installRuntime(quietLogger, undefined);
  const address = testAddress();
  const run = `cost-${process.pid}-${Date.now()}`;
  const settings = readSettings({ HOLDFAST_DATA: folder, TEMPORAL_ADDRESS: address });
  const bill = await startGenerationServer([{ id: 'gen-1', totalCost: 0.0042 }]);
  const agent = defineAgent({
    name: 'tester',
    instructions: '',
    model: scriptedModel(() => ({ text: '' })),
    tools: [],
  });
  const providers = { openrouter: { baseURL: bill.url, apiKey: 'k' } };
  const nativeConnection = await NativeConnection.connect({ address });
  const worker = await Worker.create({
    connection: nativeConnection,
    taskQueue: run,
    workflowsPath: fileURLToPath(new URL('./cost-workflows.ts', import.meta.url)),
    plugins: [holdfast(defineConfig({ agents: [agent], taskQueue: run, providers }), { settings })],
  });
  const events = openEvents(settings.events);
  const cut = {
    account: 'openrouter',
    model: 'v/m',
    responseId: 'gen-1',
    end: { outcome: 'cut' as const, usage: UNKNOWN },
  };
  await events.append(run, [started(), ...modelAttempt({ outcome: 'failure', requests: [cut] })]);
  const connection = await Connection.connect({ address });
  const { workflow } = new Client({ connection });
  await worker.runUntil(async () => {
    await workflow.execute('looksAndEnds', { taskQueue: run, workflowId: run, args: [run] });
    expect(bill.asked('gen-1')).toBe(0);
    expect(await workflow.getHandle(`${run}/cost/t1/one`).result()).toBe(0);
  });
  expect(bill.asked('gen-1')).toBe(1);
  expect(await events.newest(run, 'cost-found')).toMatchObject({ responseId: 'gen-1', costMicros: 4_200 });
  await Promise.all([connection.close(), nativeConnection.close(), events.close(), bill.close()]);
  await rm(folder, { recursive: true, force: true });
});
