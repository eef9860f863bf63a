import type { Json } from '../../../src/contracts/json.ts';
import type { Conversation, Rule } from '../../../src/testing/rule.ts';

const MOST_CALLS = 3;

/**
 * The model of every case: refunds the order it is asked about, asks again when it hears that this may help, then tells all
 * replies as JSON. "… in two amounts" makes it change its mind about the amount in between.
 */
export const refundOrder: Rule = ({ user, results }: Conversation) => {
  const last = results.at(-1)?.reply;
  const isOver = last !== undefined && (!mayHelp(last) || results.length >= MOST_CALLS);
  if (isOver) return { text: JSON.stringify(results.map(({ reply }) => reply)) };
  const order = /O-[\w-]+/.exec(user)?.[0] ?? '';
  const amount = user.includes('two amounts') && results.length > 0 ? 54.95 : 49;
  return { calls: [{ tool: 'refund', input: { order, amount } }] };
};

function mayHelp(reply: Json): boolean {
  return typeof reply === 'object' && reply !== null && 'retryable' in reply && reply['retryable'] === true;
}
