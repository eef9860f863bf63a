import type { Json } from '../../src/contracts/json.ts';
import type { Answer, Conversation, Rule } from '../../src/testing/index.ts';

export interface RefundStory {
  readonly order: string;
  /** What the customer is owed. */
  readonly cents: number;
  /** What the model asks for when the first try brings no clear answer: it has talked itself into adding the shipping. */
  readonly replanCents: number;
  /** Asks for the higher amount whatever it hears. Default: only after an answer that is no clear yes. */
  readonly insists?: boolean;
}

/** A model that refunds an order, plans again, with a higher amount, when it hears no clear yes, and then reports. */
export function refundStory({ order, cents, replanCents, insists = false }: RefundStory): Rule {
  const ask = (amountCents: number, reason: string): Answer => ({
    calls: [{ tool: 'refund', input: { orderId: order, amount: amountCents / 100, reason } }],
  });
  const shipping = `${dollars(replanCents - cents)} shipping`;

  return (conversation) => {
    const replies = repliesOf(conversation, 'refund');
    const last = replies.at(-1);
    if (!last) return ask(cents, 'arrived damaged');
    if (replies.length === 1 && (insists || last.is !== 'done'))
      return ask(replanCents, `the customer also paid ${shipping}`);
    return { text: report(last, replies.length === 1 ? cents : replanCents) };
  };
}

/** A tool result as this model understands it, whoever wrote it: Holdfast's ModelReply, a plain body, or plain text. */
interface Heard {
  readonly is: 'done' | 'not-done' | 'open';
  /** What was refunded, where the reply says so. */
  readonly cents?: number | undefined;
  readonly message?: string | undefined;
}

function repliesOf({ results }: Conversation, tool: string): readonly Heard[] {
  return results.filter((result) => result.tool === tool).map(({ reply }) => hear(reply));
}

function hear(reply: Json): Heard {
  if (!isObject(reply)) return { is: 'open', message: typeof reply === 'string' ? reply : JSON.stringify(reply) };
  const { status } = reply;
  const message = textIn(reply) ?? textIn(reply.error);
  if (status === 'ok') return { is: 'done', cents: centsIn(reply.data), message };
  if (status === 'succeeded') return { is: 'done', cents: centsIn(reply), message };
  return { is: status === 'failed' || status === 'blocked' ? 'not-done' : 'open', message };
}

function report({ is, cents, message }: Heard, askedCents: number): string {
  const why = message === undefined ? '' : ` ${message}`;
  if (is === 'open') return `It is not known whether the refund of ${dollars(askedCents)} was made.${why}`;
  if (is === 'not-done') return `The refund of ${dollars(askedCents)} was not made.${why}`;
  if (cents === undefined) return `A refund was made.${why}`;
  const extra = cents === askedCents ? '' : ` The ${dollars(askedCents)} asked for afterwards was not applied.`;
  return `One refund of ${dollars(cents)} was made.${extra}`;
}

function centsIn(value: Json | undefined): number | undefined {
  if (!isObject(value)) return undefined;
  if (typeof value.cents === 'number') return value.cents;
  return typeof value.amount === 'number' ? Math.round(value.amount * 100) : undefined;
}

const textIn = (value: Json | undefined): string | undefined =>
  isObject(value) && typeof value.message === 'string' ? value.message : undefined;

const isObject = (value: Json | undefined): value is Readonly<Record<string, Json>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const dollars = (cents: number): string => `$${(cents / 100).toFixed(2)}`;
