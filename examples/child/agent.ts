import { setTimeout as sleep } from 'node:timers/promises';
import { defineAgent, defineConfig, defineTool } from 'holdfast';
import { scriptedModel } from 'holdfast/testing';
import { z } from 'zod';

const refund = defineTool({
  name: 'refund',
  description: 'Refunds an order.',
  input: z.object({ orderId: z.string() }),
  timeout: '1s',
  intent: ({ orderId }) => `refund:${orderId}`,
  // Stands in for a payment service that takes too long: whether it refunds, nobody can say.
  execute: async ({ orderId }, { signal }) => {
    await sleep(60_000, undefined, { signal });
    return { id: `re_${orderId}` };
  },
});

const standIn = scriptedModel(({ user, results: [refunded] }) =>
  refunded
    ? { text: `Refunded: ${JSON.stringify(refunded.reply)}` }
    : { calls: [{ tool: 'refund', input: { orderId: user } }] },
);

const support = defineAgent({ name: 'support', instructions: 'Refund the order.', model: standIn, tools: [refund] });
export const config = defineConfig({ agents: [support] });
