import { expect, test } from '@jest/globals';
import type { EventStore } from '../../src/contracts/event-store.ts';
import type { RunEvent } from '../../src/contracts/events.ts';
import { NotAdmitted } from '../../src/contracts/shared-limits.ts';
import type { RequestEnd } from '../../src/middleware/cost-meter.ts';
import { recordRequests } from '../../src/workers/request-records.ts';
import { requestTo, USAGE } from '../middleware/model-calls.ts';

const END: RequestEnd = { is: 'whole', usage: USAGE, outputChars: 3, costMicros: null, begun: true, responseId: null };

function recorder() {
  const events: RunEvent[] = [];
  const store = { append: async (_run: string, more: readonly RunEvent[]) => events.push(...more) };
  const ends = { write: async (_run: string, event: RunEvent) => void events.push(event) };
  const meter = recordRequests({ events: store as unknown as EventStore, now: () => 7, ends });
  return { meter, events };
}

const router = () => requestTo('v/m', { target: { account: 'openrouter', model: 'v/m', at: 0 } });

test('a request is on record before it is sent, with the characters it is made of', async () => {
  const { meter, events } = recorder();
  await meter.started(requestTo('a', { options: { prompt: [{ role: 'system', content: 'Be kind.' }], tools: [] } }));
  expect(events).toEqual([
    {
      type: 'request-sent',
      at: 7,
      call: 't1',
      turn: 1,
      attempt: 1,
      part: 1,
      account: 'a',
      model: 'a',
      reason: 'first',
      inputChars: 8,
    },
  ]);
});

test('its end has what it used, and what is not known is left out', () => {
  const { meter, events } = recorder();
  meter.ended(requestTo('a'), END);
  const usage = { inputTokens: 10, outputTokens: 5, cacheReadTokens: 0, cacheWriteTokens: 0 };
  expect(events[0]).toEqual({
    ...{ type: 'request-ended', at: 7, call: 't1', turn: 1, attempt: 1, part: 1, account: 'a', model: 'a' },
    ...{ reason: 'first', outcome: 'whole', usage, outputChars: 3 },
  });
});

test('the id of a reply that can be asked for is written down as soon as it is known, once', () => {
  const { meter, events } = recorder();
  const request = router();
  meter.answered?.(request, { headers: { 'x-generation-id': 'gen-1' } });
  meter.answered?.(request, { responseId: 'gen-1' });
  meter.ended(request, { ...END, is: 'cut' });
  expect(events).toMatchObject([
    { type: 'request-answered', responseId: 'gen-1', account: 'openrouter', part: 1 },
    { type: 'request-ended', responseId: 'gen-1', outcome: 'cut' },
  ]);
});

test('of other providers the id is only in the end', () => {
  const { meter, events } = recorder();
  meter.answered?.(requestTo('a'), { responseId: 'r-1' });
  meter.answered?.(router(), { headers: { date: 'today' } });
  meter.ended(requestTo('a'), { ...END, responseId: 'r-1', costMicros: 12 });
  expect(events).toMatchObject([{ type: 'request-ended', responseId: 'r-1', costMicros: 12 }]);
});

test.each<[string, Partial<RequestEnd>, 'no' | undefined]>([
  ['a provider that refused it', { is: 'broken', error: refusal(429), begun: false }, 'no'],
  ['a provider that does not know', { is: 'broken', error: refusal(502), begun: false }, undefined],
  ['a connection that was refused', { is: 'broken', error: refusedConnection(), begun: false }, 'no'],
  ['an error after the reply had begun', { is: 'broken', error: refusal(429), begun: true }, undefined],
  ['the breaker', { is: 'not-sent', error: new NotAdmitted(`provider:a`, 'open', 5), begun: false }, 'no'],
  ['a hedge that lost', { is: 'lost-hedge', begun: false }, undefined],
  ['a whole reply', {}, undefined],
])('what cost nothing says so: %s', (_, end, billed) => {
  const { meter, events } = recorder();
  meter.ended(requestTo('a'), { ...END, ...end });
  expect((events[0] as { billed?: string }).billed).toBe(billed);
});

test('of an attempt that says when it was scheduled, each event has that', async () => {
  const { meter, events } = recorder();
  const request = router();
  const dated = { ...request, caller: { ...request.caller, scheduledAt: 5 } };
  await meter.started(dated);
  meter.answered?.(dated, { responseId: 'gen-1' });
  meter.ended(dated, END);
  expect(events).toMatchObject(Array(3).fill({ scheduledAt: 5 }));
});

/** As the packages throw an answer that is an error. */
function refusal(statusCode: number): Error {
  const data = { error: { message: 'slow down', type: 'rate_limit_error' } };
  return Object.assign(new Error('refused'), {
    statusCode,
    data,
    responseBody: JSON.stringify(data),
    responseHeaders: {},
  });
}

function refusedConnection(): Error {
  return Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
}
