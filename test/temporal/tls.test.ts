import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { AgentClient } from '../../src/client/agent-client.ts';
import { defineAgent, defineConfig } from '../../src/policy/define-agent.ts';
import { readSettings } from '../../src/temporal/settings.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';
import { createAgentWorker } from '../../src/workers/create-agent-worker.ts';
import { quietLogger } from '../support/quiet-logger.ts';
import { testAddress } from '../support/rig.ts';
import { startTlsFront, type TlsFront } from './tls-front.ts';

let folder = '';
let front: TlsFront;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-tls-'));
  front = await startTlsFront(testAddress());
  await writeFile(join(folder, 'ca.pem'), front.authority);
});
afterEach(async () => {
  await front.close();
  await rm(folder, { recursive: true, force: true });
});

const environment = () => ({
  HOLDFAST_DATA: join(folder, 'data'),
  TEMPORAL_ADDRESS: front.address,
  TEMPORAL_API_KEY: 'a-key',
  TEMPORAL_TLS_SERVER_CA_CERT_PATH: join(folder, 'ca.pem'),
});

test('a run goes through TLS with an API key, client and worker alike, from nothing but Temporal’s own variables', async () => {
  const settings = readSettings(environment());
  const taskQueue = `tls-${process.pid}-${Date.now()}`;
  const agent = defineAgent({
    name: 'hello',
    instructions: 'Greet.',
    model: scriptedModel(() => ({ text: 'hello' })),
    tools: [],
  });
  const config = defineConfig({ agents: [agent], taskQueue });
  const worker = await createAgentWorker(config, { settings, shutdownGrace: '2s', logger: quietLogger });
  const running = worker.run();
  const client = await AgentClient.connect({ settings, taskQueue });
  const run = await client.start({ agent: 'hello', input: 'hi' });
  expect(await run.result()).toMatchObject({ status: 'completed', text: 'hello' });
  worker.shutdown();
  await running;
  await client.close();
  expect([...front.keys]).toEqual(['Bearer a-key']);
});

test('an authority that is not ours is refused, with the words of what to check', async () => {
  const other = await startTlsFront(testAddress());
  const settings = readSettings({ ...environment(), TEMPORAL_ADDRESS: other.address });
  await expect(AgentClient.connect({ settings })).rejects.toThrow(
    /cannot reach Temporal at localhost:\d+[\s\S]*TEMPORAL_TLS/,
  );
  await other.close();
});
