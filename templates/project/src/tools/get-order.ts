import { defineTool } from 'holdfast';
import { z } from 'zod';

/** Changes nothing, so it is simply tried again when it fails. */
export const getOrder = defineTool({
  name: 'get_order',
  description: 'Reads an order: its items and what was paid, in dollars.',
  input: z.object({ orderId: z.string() }),
  readOnly: true,
  timeout: '10s',
  execute: ({ orderId }) => Promise.resolve({ orderId, items: ['vase'], paid: 49 }),
});
