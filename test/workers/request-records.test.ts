import { expect, test } from '@jest/globals';
import type { EventStore, RunEvent } from '../../src/contracts/events.ts';
import { NotAdmitted } from '../../src/contracts/shared-limits.ts';
import type { RequestEnd } from '../../src/middleware/cost-meter.ts';
import { recordRequests } from '../../src/workers/request-records.ts';
import { requestTo, USAGE } from '../middleware/model-calls.ts';

const END: RequestEnd = { is: 'whole', usage: USAGE, outputChars: 3, costMicros: null, begun: true, responseId: null };

function recorder(fails = false) {
  const events: RunEvent[] = [];
  const lost: string[] = [];
  const append = async (_run: string, more: readonly RunEvent[]) => {
    if (fails && more[0]?.type !== 'request-sent') throw new Error('disk full');
    return events.push(...more);
  };
  const store = { append } as unknown as EventStore;
  const meter = recordRequests({ events: store, now: () => 7, onLost: (_, run) => void lost.push(run) });
  return { meter, events, lost };
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

test('what was told of a run so far can be waited for: written, or lost, and not that of another run', async () => {
  const waiting: PromiseWithResolvers<true>[] = [];
  const append = async () => {
    const writing = Promise.withResolvers<true>();
    waiting.push(writing);
    await writing.promise;
    return 1;
  };
  const lost: string[] = [];
  const store = { append } as unknown as EventStore;
  const meter = recordRequests({ events: store, now: () => 7, onLost: (_, run) => void lost.push(run) });
  const heard: string[] = [];
  meter.ended(requestTo('a'), END);
  meter.ended(requestTo('a'), END);
  void meter.written('r').then(() => heard.push('r'));
  void meter.written('another').then(() => heard.push('another'));
  await new Promise(setImmediate);
  waiting[0]?.resolve(true);
  await new Promise(setImmediate);
  expect(heard).toEqual(['another']);
  waiting[1]?.reject(new Error('disk full'));
  await new Promise(setImmediate);
  expect([heard, lost]).toEqual([['another', 'r'], ['r']]);
});

test('an end that cannot be written is told to whoever listens', async () => {
  const { meter, lost } = recorder(true);
  meter.ended(requestTo('a'), END);
  await new Promise(setImmediate);
  expect(lost).toEqual(['r']);
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
