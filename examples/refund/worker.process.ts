// The story's worker, in a process of its own because it gets killed: node worker.process.ts '{…RefundWorker as JSON}'
import { DefaultLogger } from '@temporalio/worker';
import { createAgentWorker, defineConfig } from '../../src/index.ts';
import { readSettings } from '../../src/temporal/settings.ts';
import { refundAgent } from './agent.ts';
import type { RefundWorker } from './stage.ts';

// Written by `startWorker`, whose argument has this type.
const { dataDir, address, paymentsUrl, modelUrl, taskQueue } = JSON.parse(process.argv[2] ?? '{}') as RefundWorker;

const config = defineConfig({
  agents: [
    refundAgent({ name: 'support', paymentsUrl, onUnknown: 'wait' }),
    refundAgent({ name: 'support-goes-on', paymentsUrl, onUnknown: 'tell-model' }),
  ],
  taskQueue,
  providers: { compatible: { baseURL: modelUrl } },
});
const settings = readSettings({ HOLDFAST_DATA: dataDir, TEMPORAL_ADDRESS: address });
const worker = await createAgentWorker(config, {
  settings,
  shutdownGrace: '4s',
  logger: new DefaultLogger('ERROR', () => undefined),
});
// Its stdin is the story's: when the story ends, in whatever way, so does its worker.
process.stdin.resume().once('close', () => process.exit(1));
console.log('ready');
await worker.run();
process.exit(0);
