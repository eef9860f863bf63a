// An agent whose refunds wait for people: above $100 somebody has to agree, above $500 two different people.
//   npx holdfast dev --config examples/approvals/holdfast.config.ts
//   npx holdfast start support --input 'Refund A-1 $80, A-2 $240 and A-3 $900.'
import { z } from 'zod';
import { defineAgent, defineConfig, defineTool } from 'holdfast';
import { scriptedModel } from 'holdfast/testing';

const refund = defineTool({
  name: 'refund',
  description: 'Refunds an order, in dollars.',
  input: z.object({ orderId: z.string(), amount: z.number() }),
  timeout: '5s',
  intent: ({ orderId }) => `refund:${orderId}`,
  amount: ({ amount }) => ({ value: amount, currency: 'USD' }),
  needsApproval: ({ amount }) => amount > 100 && 'a refund above $100',
  execute: ({ orderId, amount }) => Promise.resolve({ id: `re_${orderId}`, amount }),
});

// Stands in for a model: it refunds every order that the input names, then says what it heard.
const model = scriptedModel(({ user, results }) =>
  results.length === 0
    ? { calls: [...user.matchAll(/(\w+-\d+) \$(\d+)/g)].map(([, orderId = '', amount]) => refundOf(orderId, amount)) }
    : { text: results.map(({ input, reply }) => `${JSON.stringify(input)}: ${JSON.stringify(reply)}`).join('\n') },
);
const refundOf = (orderId: string, amount: string | undefined) => ({
  tool: 'refund',
  input: { orderId, amount: Number(amount) },
});

const support = defineAgent({ name: 'support', instructions: 'Refund damaged orders.', model, tools: [refund] });
export default defineConfig({ agents: [support], approvals: { quorum: { above: 500, currency: 'USD' } } });
