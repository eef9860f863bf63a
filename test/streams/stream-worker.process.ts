// A worker in a process of its own, to be killed: node stream-worker.process.ts '{…StreamWorkerOptions}'. Its model is asked over the wire.
import { defineAgent, defineConfig } from '../../src/policy/define-agent.ts';
import { serveUntilTold } from '../../src/testing/index.ts';
import { createAgentWorker } from '../../src/workers/create-agent-worker.ts';
import { quietLogger } from '../support/quiet-logger.ts';
import { settingsOf, type StreamWorkerOptions } from './stream-rig.ts';

await serveUntilTold(async (given) => {
  // Written by openStreamWorkers, whose argument has this type.
  const options = given as StreamWorkerOptions;
  const { taskQueue, modelUrl } = options;
  const agent = defineAgent({ name: 'tester', instructions: 'You are tested.', model: 'compatible/m', tools: [] });
  const settings = settingsOf(options);
  const providers = { compatible: { baseURL: modelUrl, apiKey: 'k' } };
  const config = defineConfig({ agents: [agent], taskQueue, providers });
  const worker = await createAgentWorker(config, { settings, shutdownGrace: '1s', logger: quietLogger });
  const running = worker.run();
  return {
    url: taskQueue,
    async close() {
      worker.shutdown();
      await running;
    },
  };
});
