// A worker in a process of its own, to be killed: node refund-worker.process.ts '{…RefundWorkerOptions}'. Prints one line when it works.
import { z } from 'zod';
import { defineAgent, defineConfig } from '../../src/policy/define-agent.ts';
import { defineTool } from '../../src/policy/define-tool.ts';
import { readSettings } from '../../src/temporal/settings.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';
import { createAgentWorker } from '../../src/workers/create-agent-worker.ts';
import { quietLogger } from './quiet-logger.ts';
import type { RefundWorkerOptions } from './refund-worker.ts';
import { askThenTell } from './rules.ts';

const options = JSON.parse(process.argv[2] ?? '{}') as RefundWorkerOptions;
const { dataDir, address, taskQueue, paymentsUrl, timeout, grace, paysTwice = false } = options;

const refund = defineTool({
  name: 'refund',
  description: 'Refunds an order.',
  input: z.object({ order: z.string(), amount: z.number() }),
  timeout,
  ...(options.effect === 'read-only'
    ? { readOnly: true }
    : { intent: ({ order }: { order: string }) => `refund:${order}`, landsWithin: '1s' as const }),
  ...(options.effect === 'by-key' ? { idempotent: 'by-key' as const } : {}),
  ...(options.effect === 'idempotent' ? { idempotent: true as const } : {}),
  execute: async ({ order, amount }, ctx) => {
    const body = JSON.stringify({ orderId: order, amount, reason: 'test' });
    // A reading tool must not look like one that writes; the payments service counts both.
    const response =
      options.effect === 'read-only'
        ? await ctx.fetch(`${paymentsUrl}/refunds?orderId=${order}`)
        : await ctx.fetch(`${paymentsUrl}/refunds`, {
            method: 'POST',
            body,
            headers: { 'content-type': 'application/json' },
          });
    if (!response.ok) throw new Error(`payments answered ${response.status}`);
    // The first look-up never comes to its end, so that the worker can be killed in the middle of it.
    if (options.effect === 'read-only' && ctx.attempt === 1) await new Promise(() => undefined);
    return response.json();
  },
});

const call = (amount: number) => [{ tool: 'refund', input: { order: 'A-1', amount } }];
const rule = paysTwice ? askThenTell(call(49), call(54.95)) : askThenTell(call(49));
const agent = defineAgent({
  name: 'refunder',
  instructions: 'You refund.',
  model: scriptedModel(rule),
  tools: [refund],
});
const settings = readSettings({ HOLDFAST_DATA: dataDir, TEMPORAL_ADDRESS: address });
const config = defineConfig({ agents: [agent], taskQueue });
const worker = await createAgentWorker(config, { settings, shutdownGrace: grace ?? '4s', logger: quietLogger });
console.log('ready');
await worker.run();
