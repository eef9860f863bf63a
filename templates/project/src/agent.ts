import { defineAgent } from 'holdfast';
import { scriptedModel } from 'holdfast/testing';
import { getOrder } from './tools/get-order.ts';
import { refund } from './tools/refund.ts';

// Stands in for a model, so that this runs without a key: it looks at the order, refunds it, and tells what came of it.
// With a real one, write instead `model: 'compatible/NAME'` (any server that speaks the OpenAI chat protocol: npm install
// @ai-sdk/openai-compatible, and providers in holdfast.config.ts), or pass any AI SDK model.
const standIn = scriptedModel(({ user, results }) => {
  const orderId = /[A-Z]-\d+/.exec(user)?.[0] ?? 'A-1042';
  const [order, refunded] = results.map(({ reply }) => JSON.stringify(reply));
  if (order === undefined) return { calls: [{ tool: 'get_order', input: { orderId } }] };
  if (refunded === undefined) return { calls: [{ tool: 'refund', input: { orderId, amount: 49 } }] };
  return { text: `Order ${orderId} is refunded: ${refunded}` };
});

export const support = defineAgent({
  name: 'support',
  instructions: 'You are a support agent. Refund orders that arrived damaged, then tell the customer what was done.',
  model: standIn,
  tools: [getOrder, refund],
});
