// The triage worker, in a process of its own: node worker.process.ts '{…TriageWorker as JSON}'. It prints one line when it works.
import { DefaultLogger } from '@temporalio/worker';
import { createAgentWorker, defineConfig } from '../../src/index.ts';
import { readSettings } from '../../src/temporal/settings.ts';
import { triageAgent } from './agent.ts';
import type { TriageWorker } from './supervise.ts';

// Written by `superviseWorker`, whose argument has this type.
const { dataDir, address, folder, trackerUrl, model, baseURL, taskQueue } = JSON.parse(
  process.argv[2] ?? '{}',
) as TriageWorker;

const config = defineConfig({
  agents: [triageAgent({ folder, trackerUrl, model })],
  taskQueue,
  ...(baseURL && { providers: { compatible: { baseURL } } }),
});
const settings = readSettings({ ...process.env, HOLDFAST_DATA: dataDir, TEMPORAL_ADDRESS: address });
const logger = new DefaultLogger('ERROR', () => undefined);
const worker = await createAgentWorker(config, { settings, shutdownGrace: '4s', logger });
// Its stdin is the command's: when that ends, in whatever way, so does its worker.
process.stdin.resume().once('close', () => process.exit(1));
console.log('ready');
await worker.run();
process.exit(0);
