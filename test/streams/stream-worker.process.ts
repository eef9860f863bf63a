// A worker in a process of its own, to be killed: node stream-worker.process.ts '{…StreamWorkerOptions}'. Its model is asked over the wire.
import { defineAgent, defineConfig } from '../../src/policy/define-agent.ts';
import { serveUntilTold } from '../../src/testing/index.ts';
import { serveWorker } from '../support/serve-worker.ts';
import { settingsOf, type StreamWorkerOptions } from './stream-rig.ts';

await serveUntilTold(async (given) => {
  // Written by openStreamWorkers, whose argument has this type.
  const options = given as StreamWorkerOptions;
  const { taskQueue, modelUrl } = options;
  const agent = defineAgent({ name: 'tester', instructions: 'You are tested.', model: 'compatible/m', tools: [] });
  const settings = settingsOf(options);
  const providers = { compatible: { baseURL: modelUrl, apiKey: 'k' } };
  const config = defineConfig({ agents: [agent], taskQueue, providers });
  return serveWorker(config, settings);
});
