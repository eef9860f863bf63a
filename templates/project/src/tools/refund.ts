import { defineTool } from 'holdfast';
import { z } from 'zod';

/**
 * Neither `readOnly` nor `idempotent`: when no answer comes, nobody knows whether the money went back. Holdfast then asks a
 * person instead of trying again.
 */
export const refund = defineTool({
  name: 'refund',
  description: 'Refunds an order, in dollars.',
  input: z.object({ orderId: z.string(), amount: z.number().positive() }),
  timeout: '30s',
  // The business action. The amount is not part of it: another amount for the same order is the same refund, planned again.
  intent: ({ orderId }) => `refund:${orderId}`,
  execute: async ({ orderId, amount }, ctx) => {
    const payments = process.env['PAYMENTS_URL'];
    // Only pretended, so that this project runs as it is. Set PAYMENTS_URL, or write your own request here.
    if (!payments) return { id: `re_${orderId}`, amount, pretended: true };
    // ctx.fetch adds the idempotency key and keeps account of what was sent: that is what proves a refusal.
    const response = await ctx.fetch(`${payments}/refunds`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ orderId, amount }),
    });
    if (!response.ok) throw new Error(`payments answered ${response.status}`);
    return response.json();
  },
});
