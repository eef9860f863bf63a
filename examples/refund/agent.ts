import { z } from 'zod';
import { defineAgent, defineTool, type Agent } from '../../src/index.ts';

export interface RefundAgentOptions {
  readonly name: string;
  readonly paymentsUrl: string;
  /** What happens after a refund whose outcome is unknown: the run waits, or the model is told and goes on. */
  readonly onUnknown: 'wait' | 'tell-model';
}

/** Time runs 10:1 in this story: 3 s stand for the 30 s a refund may take, 60 s for the 10 minutes in which it may land. */
export const TIMES = { timeout: '3s', landsWithin: '60s' } as const;

/** An agent with one tool that must not run twice: neither read-only nor idempotent. */
export function refundAgent({ name, paymentsUrl, onUnknown }: RefundAgentOptions): Agent {
  const refund = defineTool({
    name: 'refund',
    description: 'Refunds an order, in dollars.',
    input: z.object({ orderId: z.string(), amount: z.number().positive(), reason: z.string() }),
    timeout: TIMES.timeout,
    landsWithin: TIMES.landsWithin,
    onUnknown,
    // The amount is not part of it: another amount for the same order is the same refund, planned again.
    intent: ({ orderId }) => `refund:${orderId}`,
    execute: async (refund, ctx) => {
      const headers = { 'content-type': 'application/json' };
      const response = await ctx.fetch(`${paymentsUrl}/refunds`, {
        method: 'POST',
        headers,
        body: JSON.stringify(refund),
      });
      if (!response.ok) throw new Error(`payments answered ${response.status}`);
      return response.json();
    },
  });
  return defineAgent({
    name,
    instructions: 'You are a support agent. Refund what the customer is owed, then tell them what was done.',
    model: 'compatible/stand-in',
    tools: [refund],
  });
}
