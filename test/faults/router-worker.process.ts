// A worker in a process of its own, to be killed: node router-worker.process.ts '{…RouterWorkerOptions}'. Its model is asked at the router peer.
import { defineAgent, defineConfig } from '../../src/policy/define-agent.ts';
import { readSettings } from '../../src/temporal/settings.ts';
import { serveUntilTold } from '../../src/testing/index.ts';
import { serveWorker } from '../support/serve-worker.ts';
import type { RouterWorkerOptions } from './router-rig.ts';

await serveUntilTold(async (given) => {
  // Written by openRouterRig, whose argument has this type.
  const { dataDir, address, taskQueue, url, costPace } = given as RouterWorkerOptions;
  const agent = defineAgent({ name: 'tester', instructions: 'You are tested.', model: 'openrouter/v/m', tools: [] });
  const settings = readSettings({ HOLDFAST_DATA: dataDir, TEMPORAL_ADDRESS: address });
  const config = defineConfig({ agents: [agent], taskQueue, providers: { openrouter: { baseURL: url, apiKey: 'k' } } });
  return serveWorker(config, settings, { costPace });
});
