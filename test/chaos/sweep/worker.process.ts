// A worker in a process of its own, to be killed: node worker.process.ts '{…SweepWorkerOptions}'. It says over IPC where it
// is and waits there. With `warm` instead of options it only makes the workflow bundle.
import { Worker } from '@temporalio/worker';
import { defineAgent, defineConfig } from '../../../src/policy/define-agent.ts';
import { connectWorker } from '../../../src/temporal/connect-worker.ts';
import { readSettings } from '../../../src/temporal/settings.ts';
import { assembleWorker } from '../../../src/workers/assemble-worker.ts';
import { installRuntime } from '../../../src/workers/install-runtime.ts';
import { openWorkerStores, storeAddresses } from '../../../src/workers/open-worker-stores.ts';
import { workflowBundle } from '../../../src/workers/workflow-bundle.ts';
import { quietLogger } from '../../support/quiet-logger.ts';
import { holdActivities } from './hold-activities.ts';
import { holdSlots } from './hold-slots.ts';
import { holdStores } from './hold-stores.ts';
import { openHolds } from './holding.ts';
import { refundTool } from './refund-tool.ts';
import type { SweepWorkerOptions } from './worker-options.ts';

// It never outlives the sweep.
process.on('disconnect', () => process.exit(1));

async function work(options: SweepWorkerOptions): Promise<void> {
  const { dataDir, address, taskQueue, modelUrl, holds } = options;
  const hold = openHolds(holds);
  const settings = readSettings({ HOLDFAST_DATA: dataDir, TEMPORAL_ADDRESS: address });
  const agent = defineAgent({
    name: 'refunder',
    instructions: 'You refund.',
    model: 'compatible/sweep',
    tools: [refundTool(options, hold)],
  });
  const providers = { compatible: { baseURL: modelUrl, apiKey: 'none' } };
  const config = defineConfig({ agents: [agent], taskQueue, providers });
  installRuntime(quietLogger, undefined);
  const { connection, namespace } = await connectWorker(settings);
  const stores = holdStores(openWorkerStores(storeAddresses({}, settings), address), hold);
  const assembled = await assembleWorker(config, {
    connection,
    namespace,
    address,
    settings,
    logger: quietLogger,
    stores,
  });
  let isPlanned = false;
  const worker = await Worker.create({
    ...assembled.options,
    ...holdSlots(holds, hold, () => isPlanned),
    connection,
    namespace,
    taskQueue,
    workflowBundle: await workflowBundle(),
    interceptors: {
      activity: [
        (context) => {
          isPlanned ||= context.info.activityType === 'callModel';
          return { inbound: holdActivities(context, hold) };
        },
      ],
    },
  });
  process.send?.({ ready: true });
  await worker.run();
}

const [options = 'warm'] = process.argv.slice(2);
if (options === 'warm') {
  await workflowBundle();
  process.exit(0);
}
// Written by startSweepWorker, whose argument has this type.
await work(JSON.parse(options) as SweepWorkerOptions);
