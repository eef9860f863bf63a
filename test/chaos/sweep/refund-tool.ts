import { z } from 'zod';
import type { Tool, ToolContext } from '../../../src/contracts/tool.ts';
import { defineTool } from '../../../src/policy/define-tool.ts';
import type { Hold } from './holding.ts';
import type { SweepWorkerOptions } from './worker-options.ts';

interface Refund {
  readonly order: string;
  readonly amount: number;
}

type RefundToolOptions = Pick<
  SweepWorkerOptions,
  'effect' | 'timeout' | 'landsWithin' | 'maxAttempts' | 'needsApproval' | 'paymentsUrl'
>;

/** The tool under test: one request to the payments service, with a stop before and after it. */
export function refundTool(options: RefundToolOptions, hold: Hold): Tool {
  const { effect, timeout, landsWithin, maxAttempts, needsApproval, paymentsUrl } = options;
  const isReader = effect === 'read-only';
  return defineTool({
    name: 'refund',
    description: 'Refunds an order.',
    input: z.object({ order: z.string(), amount: z.number() }),
    timeout,
    maxAttempts,
    needsApproval,
    ...(isReader ? { readOnly: true } : { intent: ({ order }: Refund) => `refund:${order}`, landsWithin }),
    ...(effect === 'by-key' && { idempotent: 'by-key' as const }),
    ...(effect === 'idempotent' && { idempotent: true as const }),
    execute: async (input, ctx) => {
      await hold('b7c');
      const response = await (isReader ? look(paymentsUrl, input, ctx) : pay(paymentsUrl, input, ctx));
      if (!response.ok) throw new Error(`payments answered ${response.status}`);
      const answer: unknown = await response.json();
      await hold('b10a');
      return answer;
    },
  });
}

const look = (url: string, { order }: Refund, ctx: ToolContext) => ctx.fetch(`${url}/refunds?orderId=${order}`);

const pay = (url: string, { order, amount }: Refund, ctx: ToolContext) =>
  ctx.fetch(`${url}/refunds`, {
    method: 'POST',
    body: JSON.stringify({ orderId: order, amount, reason: 'sweep' }),
    headers: { 'content-type': 'application/json' },
  });
