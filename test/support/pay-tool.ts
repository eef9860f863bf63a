import { z } from 'zod';
import type { Tool, ToolDefinition } from '../../src/contracts/tool.ts';
import { defineTool } from '../../src/policy/define-tool.ts';
import type { AskedCall } from '../../src/testing/rule.ts';

const input = z.object({ order: z.string(), amount: z.number().optional() });

export interface PayTool {
  readonly pay: Tool;
  /** Every time the body ran: what it was given, and under which key. */
  readonly seen: { readonly key: string; readonly input: z.infer<typeof input> }[];
}

/** An unflagged tool of the action `pay:ORDER` that keeps account of how often it ran. */
export function payTool(options: Partial<ToolDefinition<typeof input>> = {}): PayTool {
  const seen: PayTool['seen'] = [];
  const pay = defineTool({
    name: 'pay',
    description: 'Pays.',
    input,
    timeout: '2s',
    landsWithin: '1ms',
    intent: ({ order }) => `pay:${order}`,
    execute: (given, ctx) => {
      seen.push({ key: ctx.idempotencyKey, input: given });
      return Promise.resolve({ paid: given.amount ?? 1 });
    },
    ...options,
  });
  return { pay, seen };
}

/** The model asks for it. */
export const pays = (order: string, amount?: number): AskedCall => ({
  tool: 'pay',
  input: { order, ...(amount !== undefined && { amount }) },
});
