import { z } from 'zod';
import { defineAgent, defineTool, type Agent } from '../../src/index.ts';
import { scriptedModel, type Conversation, type Rule } from '../../src/testing/index.ts';

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

/** Stands in for a model: it refunds every order that the message names, and says what came of it. */
export const refundRule: Rule = ({ user, results }) => {
  const orders = [...newestOf(user).matchAll(/(\w+-\d+)\D+(\d+)/g)];
  if (orders.length === 0) return { text: 'I can refund orders. Write, for example: Refund A-1042, $240.' };
  if (results.length > 0)
    return { text: `${results.map(sentenceOf).join(' ')} Is there anything else I can do for you?` };
  const calls = orders.map(([, orderId = '', amount]) => ({
    tool: 'refund',
    input: { orderId, amount: Number(amount) },
  }));
  return { text: `I ask for ${calls.length === 1 ? 'the refund' : `${calls.length} refunds`}.`, calls };
};

/** The first message of a chat is a text; later ones come with what was said before. */
function newestOf(input: string): string {
  return input.startsWith('{') ? (JSON.parse(input) as { readonly message: string }).message : input;
}

function sentenceOf({ input, reply }: Conversation['results'][number]): string {
  const { orderId, amount } = input as { readonly orderId: string; readonly amount: number };
  const { status, message } = reply as { readonly status: string; readonly message?: string };
  if (status !== 'ok') return `Order ${orderId} was not refunded: ${message ?? status}`;
  return `Order ${orderId} is refunded: $${amount} are on their way back to the card that paid for it, and should be there in three to five days.`;
}

/** The agent behind the page. `partMs`: how fast its stand-in speaks. */
export const supportAgent = ({ partMs }: { readonly partMs: number }): Agent =>
  defineAgent({
    name: 'support',
    instructions: 'Refund damaged orders.',
    model: scriptedModel(refundRule, { partMs }),
    tools: [refund],
  });
