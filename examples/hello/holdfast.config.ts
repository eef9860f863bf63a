import { z } from 'zod';
import { defineAgent, defineConfig, defineTool } from 'holdfast';
import { scriptedModel } from 'holdfast/testing';

const refund = defineTool({
  name: 'refund',
  description: 'Refunds an order, in dollars.',
  input: z.object({ orderId: z.string(), amount: z.number() }),
  timeout: '5s', // neither readOnly nor idempotent: never repeated on a guess
  intent: ({ orderId }) => `refund:${orderId}`, // the business action, whatever the amount
  execute: ({ orderId, amount }) => Promise.resolve({ id: `re_${orderId}`, amount }),
});

// Stands in for a model, so that this runs without a key. Yours: any AI SDK model, or 'compatible/NAME'.
const model = scriptedModel(({ results }) =>
  results[0]
    ? { text: `Done: ${JSON.stringify(results[0].reply)}` }
    : { calls: [{ tool: 'refund', input: { orderId: 'A-1042', amount: 49 } }] },
);
const support = defineAgent({ name: 'support', instructions: 'Refund damaged orders.', model, tools: [refund] });
export default defineConfig({ agents: [support] });
