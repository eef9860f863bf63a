// A worker in a process of its own, to be killed: node desk-worker.process.ts '{…DeskOptions}'. Its tool pays through the payment service.
import { z } from 'zod';
import { defineAgent, defineConfig } from '../../src/policy/define-agent.ts';
import { defineTool } from '../../src/policy/define-tool.ts';
import { readSettings } from '../../src/temporal/settings.ts';
import { scriptedModel, serveUntilTold } from '../../src/testing/index.ts';
import { serveWorker } from '../support/serve-worker.ts';
import { askThenTell } from '../support/rules.ts';
import type { DeskOptions } from './desk.ts';

await serveUntilTold(async (given) => {
  // Written by openDesk, whose argument has this type.
  const { dataDir, address, taskQueue, paymentsUrl, batches, needsApproval } = given as DeskOptions;
  const pay = defineTool({
    name: 'pay',
    description: 'Pays.',
    input: z.object({ order: z.string(), amount: z.number() }),
    timeout: '2s',
    landsWithin: '1s',
    intent: ({ order }) => `pay:${order}`,
    needsApproval,
    async execute({ order, amount }, ctx) {
      const body = JSON.stringify({ orderId: order, amount });
      const response = await ctx.fetch(`${paymentsUrl}/refunds`, { method: 'POST', body });
      // The money has gone, and nobody gets to hear of it.
      if (order.startsWith('lost')) await new Promise(() => undefined);
      return response.json();
    },
  });
  const agent = defineAgent({
    name: 'tester',
    instructions: 'You are tested.',
    model: scriptedModel(askThenTell(...batches)),
    tools: [pay],
  });
  const settings = readSettings({ HOLDFAST_DATA: dataDir, TEMPORAL_ADDRESS: address });
  const config = defineConfig({ agents: [agent], taskQueue });
  return serveWorker(config, settings);
});
