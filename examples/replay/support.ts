import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { defineAgent, defineTool, type Agent } from '../../src/index.ts';
import type { Answer, Rule } from '../../src/testing/index.ts';

export const TASK = 'Order A-1042 arrived damaged. Please make it right.';

const order = z.object({ orderId: z.string() });

const getOrder = defineTool({
  name: 'get_order',
  description: 'Reads an order.',
  input: order,
  readOnly: true,
  timeout: '5s',
  execute: async ({ orderId }) => {
    await sleep(40);
    return { orderId, item: 'desk lamp', cents: 4900, delivered: true };
  },
});

const getPolicy = defineTool({
  name: 'get_policy',
  description: 'Reads what the shop promises for a case.',
  input: z.object({ topic: z.string() }),
  readOnly: true,
  timeout: '5s',
  execute: async ({ topic }) => {
    await sleep(15);
    return { topic, says: 'Damaged on arrival: full refund within 30 days.' };
  },
});

const refund = defineTool({
  name: 'refund',
  description: 'Refunds an order.',
  input: order.extend({ cents: z.number().int() }),
  timeout: '5s',
  intent: ({ orderId }) => `refund:${orderId}`,
  execute: async ({ orderId, cents }) => {
    await sleep(60);
    return { id: `re_${orderId}`, cents };
  },
});

/** An agent that reads, refunds, and reports. */
export const supportAgent = (model: Agent['model']): Agent =>
  defineAgent({
    name: 'support',
    instructions: 'You are a support agent. Look the order up, refund what is owed, then say what was done.',
    model,
    tools: [getOrder, getPolicy, refund],
  });

/** What its model does, turn by turn. */
export const supportRule: Rule = ({ turn }): Answer => {
  if (turn === 0) {
    return {
      text: 'I look the order up, and what we promise.',
      calls: [
        { tool: 'get_order', input: { orderId: 'A-1042' } },
        { tool: 'get_policy', input: { topic: 'damaged' } },
      ],
    };
  }
  if (turn === 1) return { calls: [{ tool: 'refund', input: { orderId: 'A-1042', cents: 4900 } }] };
  return { text: 'I am sorry about the lamp. The $49.00 for order A-1042 are on their way back to you.' };
};
