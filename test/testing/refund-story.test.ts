import { describe, expect, it, test } from '@jest/globals';
import { runNaiveLoop } from '../../examples/refund/naive-loop.ts';
import { refundStory } from '../../examples/refund/story.ts';
import type { Json } from '../../src/contracts/json.ts';
import type { ModelReply } from '../../src/contracts/model-reply.ts';
import {
  readPayments,
  startModelServer,
  startPaymentsProcess,
  type Conversation,
  type PaymentMode,
} from '../../src/testing/index.ts';
import { closeAfterEach } from './close-after-each.ts';
import { freshDbFiles } from './fresh-db-files.ts';
import { waitFor } from './wait-for.ts';

const opened = closeAfterEach();
const freshDbFile = freshDbFiles();

const story = { order: 'A-1042', cents: 4900, replanCents: 5495 };
const decide = refundStory(story);

function after(...replies: readonly (Json | ModelReply)[]): Conversation {
  // A ModelReply is JSON when it comes back from the model's side of the wire.
  const results = replies.map((reply) => ({ tool: 'refund', input: {}, reply: reply as Json }));
  return { system: '', user: 'Please refund.', tools: ['refund'], results, turn: replies.length };
}

const ok = (cents: number): ModelReply => ({ status: 'ok', data: { id: 're_1', cents } });
const pending: ModelReply = { status: 'pending', message: 'The outcome is not known yet.', handle: 'qabc' };
const TIMED_OUT = 'Error: timed out';

describe('the model of the story', () => {
  it('asks for the refund first', () => {
    expect(decide(after())).toEqual({
      calls: [{ tool: 'refund', input: { orderId: 'A-1042', amount: 49, reason: 'arrived damaged' } }],
    });
  });

  test.each<[Json | ModelReply]>([[TIMED_OUT], [pending], [{ status: 'unavailable' }], [{ status: 'failed' }]])(
    'asks for more once when it hears %j',
    (reply) => {
      const input = { orderId: 'A-1042', amount: 54.95, reason: 'the customer also paid $5.95 shipping' };
      expect(decide(after(reply))).toEqual({ calls: [{ tool: 'refund', input }] });
    },
  );

  test.each<[string, readonly (Json | ModelReply)[], string]>([
    ['a clear yes', [ok(4900)], 'One refund of $49.00 was made.'],
    [
      'the first result for the second request',
      [pending, ok(4900)],
      'One refund of $49.00 was made. The $54.95 asked for afterwards was not applied.',
    ],
    ['a yes to the second request', [TIMED_OUT, ok(5495)], 'One refund of $54.95 was made.'],
    ['a plain body', [TIMED_OUT, { id: 're_2', cents: 5495, status: 'succeeded' }], 'One refund of $54.95 was made.'],
    ['a yes without an amount', [pending, { status: 'ok', message: 'Recorded.' }], 'A refund was made. Recorded.'],
    [
      'two time-outs',
      [TIMED_OUT, TIMED_OUT],
      'It is not known whether the refund of $54.95 was made. Error: timed out',
    ],
    [
      'a block',
      [pending, { status: 'blocked', message: 'A person must decide.' }],
      'The refund of $54.95 was not made. A person must decide.',
    ],
  ])('reports %s truthfully', (_, replies, text) => {
    expect(decide(after(...replies))).toEqual({ text });
  });
});

describe('the naive loop', () => {
  async function tell(modes: readonly PaymentMode[], timeoutMs: number) {
    const dbFile = freshDbFile();
    const payments = await opened(startPaymentsProcess({ dbFile, modes }));
    const model = await opened(startModelServer({ decide }));
    const log: string[] = [];
    const { order, cents } = story;
    const urls = { modelUrl: model.url, paymentsUrl: payments.url };
    const end = await runNaiveLoop({ ...urls, order, cents, timeoutMs, log: (line) => log.push(line) });
    return { end, log, count: () => readPayments(dbFile) };
  }

  // 30 s and 41 s, thirty times as fast. The answer is held back, not only the effect: a slow machine changes nothing.
  const TIMEOUT_MS = 1_000;
  const late = { is: 'answer', landsAfterMs: 1_367, answersAfterMs: 60_000 } as const;

  it('refunds $49 once when the service is quick', async () => {
    const { end, count } = await tell([], 30_000);
    expect(end).toEqual({ text: 'One refund of $49.00 was made.', refunds: 1 });
    expect(count().cents).toBe(4900);
  });

  it('refunds $103.95 on a $49 order when the first refund lands late, and believes in one', async () => {
    const { end, log, count } = await tell([{ ...late, times: 1 }], TIMEOUT_MS);
    const { effects } = await waitFor(count, ({ effects: landed }) => landed.length === 2);
    expect(effects.map(({ cents }) => cents).toSorted()).toEqual([4900, 5495]);
    expect(count().cents).toBe(10_395);
    expect(end).toEqual({ text: 'One refund of $54.95 was made.', refunds: 1 });
    expect(log[0]).toContain('timed out');
  });

  it('refunds $103.95 when every refund lands late, and knows of none', async () => {
    const { end, count } = await tell([late], TIMEOUT_MS);
    await waitFor(count, ({ cents }) => cents === 10_395);
    expect(count().arrivals).toHaveLength(2);
    expect(end.refunds).toBe(0);
  });
});
