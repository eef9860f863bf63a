import { ApplicationFailure } from '@temporalio/common';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { AttemptTimeout } from '../../src/contracts/attempt-timeout.ts';
import type { ModelMiddleware } from '../../src/contracts/middleware.ts';
import { retryWaitMs, MODEL_BACKOFF } from '../../src/policy/backoff.ts';
import { classifyModelError } from '../../src/policy/classify-model-error.ts';
import { defineTool } from '../../src/policy/define-tool.ts';
import { z } from 'zod';
import { eventually } from '../support/eventually.ts';
import { askThenTell, repliesOf } from '../support/rules.ts';
import { first, streamOf, type Script } from './model-peer.ts';
import { eventsOf, openModelRig, type ModelRig } from './model-rig.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

const json = { 'content-type': 'application/json' };
const said = (status: number, error: object) => ({ status, headers: json, body: JSON.stringify({ error }) });

// The rows speak of single calls: what they share, the breaker and its throttle, has rows of its own.
let rig: ModelRig;
beforeAll(async () => {
  rig = await openModelRig({ without: ['breaker'], limits: { modelAttempts: 3 } });
});
afterAll(() => rig.close());

describe('what no repetition mends is asked for once', () => {
  const CASES: readonly (readonly [string, ReturnType<typeof said>, string])[] = [
    [
      'a used-up quota that is sent as a 429 (C3)',
      said(429, { message: 'You exceeded your quota', code: 'insufficient_quota' }),
      '(billing)',
    ],
    [
      'an account without credit that is told as a 400 (K5)',
      said(400, { message: 'Your credit balance is too low' }),
      '(billing)',
    ],
    ['a bad request (C12)', said(400, { message: 'bad tools', type: 'invalid_request_error' }), '(bad-request)'],
    ['a bad key (C12)', said(401, { message: 'no such key' }), '(auth)'],
    ['what the key may not do (C12)', said(403, { message: 'not for you' }), '(forbidden)'],
    ['a model that is not there (C12)', said(404, { message: 'no such model' }), '(not-found)'],
    ['too large a request (C12)', said(413, { message: 'too large' }), '(too-large)'],
    ['a request that makes no sense (C12)', said(422, { message: 'no sense' }), '(bad-request)'],
    [
      'too long a conversation (C12)',
      said(400, { message: 'too long', code: 'context_length_exceeded' }),
      '(context-length)',
    ],
  ];

  test.each(CASES)('%s', async (_, fault, reason) => {
    const { run, arrivals } = await rig.play({ script: first(9, fault) });
    expect(await run.result()).toMatchObject({ status: 'failed', text: expect.stringContaining(reason) });
    expect(arrivals()).toHaveLength(1);
  });

  test('a refusal that comes as an event of a stream, with its own words (C11)', async () => {
    const error = { message: 'tools[0] has no name', type: 'invalid_request_error', code: 'invalid_request' };
    const { run, arrivals } = await rig.play({ script: first(9, streamOf({ error }, '[DONE]')) });
    const { status, text } = await run.result();
    expect([status, text]).toEqual(['failed', expect.stringContaining('tools[0] has no name')]);
    expect(arrivals()).toHaveLength(1);
  });

  test('a used-up quota is named within a second of the request (C22)', async () => {
    const fault = said(429, { message: 'You exceeded your quota', code: 'insufficient_quota' });
    const { run, arrivals } = await rig.play({ script: first(9, fault) });
    await run.result();
    const [ended] = await eventsOf(run, 'attempt-ended');
    expect(ended?.failure).toMatchObject({ reason: 'billing', retry: false });
    expect((ended?.at ?? Infinity) - (arrivals()[0]?.at ?? 0)).toBeLessThan(1_000);
  });
});

describe('what may pass is asked for again, by one owner', () => {
  const CASES: readonly (readonly [string, Script, number])[] = [
    ['a gateway that is throttled and gives no hint (C5)', first(1, { status: 503, headers: {} }), 2],
    [
      'an overload that is told inside a stream of status 200 (C10)',
      first(1, streamOf({ error: { message: 'Overloaded', type: 'overloaded_error', code: 529 } })),
      2,
    ],
    ...['soon', '1000abc', ''].map(
      (word) =>
        [
          `a wait that cannot be read is none: "${word}" (C16)`,
          first(1, { status: 429, headers: { 'retry-after': word } }),
          2,
        ] as const,
    ),
  ];

  test.each(CASES)('%s', async (_, script, requests) => {
    const { run, arrivals } = await rig.play({ script });
    expect(await run.result()).toMatchObject({ status: 'completed', text: 'done' });
    expect(arrivals()).toHaveLength(requests);
    expect((await eventsOf(run, 'request-sent')).map(({ attempt, reason }) => [attempt, reason])).toEqual([
      [1, 'first'],
      [2, 'retry'],
    ]);
  });

  test('and no oftener than its attempts, however the server asks for nothing (C9)', async () => {
    const { run, arrivals } = await rig.play({ script: first(99, { status: 429, headers: { 'retry-after': '0' } }) });
    expect(await run.result()).toMatchObject({ status: 'failed' });
    expect(arrivals()).toHaveLength(3);
  });

  test('after 3 s each where the server asks for 3 s; a run that only waits is alive (C1, C20)', async () => {
    const { run, arrivals } = await rig.play({ script: first(2, { status: 429, headers: { 'retry-after': '3' } }) });
    expect(await run.result()).toMatchObject({ status: 'completed' });
    const [one, two, three] = arrivals().map(({ at }) => at) as [number, number, number];
    for (const gap of [two - one, three - two]) {
      expect(gap).toBeGreaterThanOrEqual(3_000);
      // A tenth of jitter, and a busy machine.
      expect(gap).toBeLessThan(3_300 + 2_500);
    }
    expect(arrivals()).toHaveLength(3);
  });

  test('at the date that the server names, by its own clock (C16)', async () => {
    // A server whose clock is an hour behind ours.
    const theirs = Date.now() - 3_600_000;
    const at = (ms: number) => new Date(Math.ceil((theirs + ms) / 1_000) * 1_000).toUTCString();
    const headers = { 'retry-after': at(3_000), date: at(0) };
    const { run, arrivals } = await rig.play({ script: first(1, { status: 429, headers }) });
    expect(await run.result()).toMatchObject({ status: 'completed' });
    const [one, two] = arrivals().map(({ at: when }) => when) as [number, number];
    expect(two - one).toBeGreaterThanOrEqual(3_000);
    expect(two - one).toBeLessThan(8_000);
  });

  test('when a request hangs, at the end of its time and counted as the peer counts (C8)', async () => {
    const hurry: ModelMiddleware = (next) => (request) => {
      const stop = new AbortController();
      const timer = setTimeout(() => stop.abort(new AttemptTimeout('no piece of an answer within 1 s')), 1_000);
      const signal = AbortSignal.any([request.signal, stop.signal]);
      return next({ ...request, signal }).finally(() => clearTimeout(timer));
    };
    const slow = await openModelRig({ use: [hurry], without: ['breaker'], limits: { modelAttempts: 4 } });
    open.push(slow);
    const { run, arrivals } = await slow.play({ script: first(9, { hang: true }) });
    expect(await run.result()).toMatchObject({ status: 'failed', text: expect.stringContaining('within 1 s') });
    expect(arrivals()).toHaveLength(4);
    expect((await eventsOf(run, 'attempt-ended')).map(({ attempt, outcome }) => [attempt, outcome])).toEqual(
      [1, 2, 3, 4].map((attempt) => [attempt, 'failure']),
    );
  });
});

describe('a wait that is asked for', () => {
  test('of exactly the cap is waited for, and jitter is not held against it (C13)', () => {
    const asked = (seconds: number) =>
      classifyModelError(
        Object.assign(new Error('slow down'), { statusCode: 429, responseHeaders: { 'retry-after': String(seconds) } }),
        { now: 0 },
      );
    expect(asked(60)).toMatchObject({ retry: true, overCap: false, waitMs: 60_000 });
    expect(asked(61)).toMatchObject({ retry: true, overCap: true, waitMs: 61_000 });
    expect(retryWaitMs(MODEL_BACKOFF, 1, 60_000, 0.99)).toBeGreaterThan(60_000);
  });

  test('of a month is neither an immediate retry nor a timer that overflows (C15)', async () => {
    const { run, arrivals } = await rig.play({
      script: first(9, { status: 429, headers: { 'retry-after': '2592000' } }),
    });
    const view = await eventually('the wait', async () => {
      const now = await run.state();
      return now?.waitingFor.includes('provider') ? now : undefined;
    });
    const [, until = ''] = /Asked again from (\S+)\.$/.exec(view.calls.at(-1)?.why ?? '') ?? [];
    expect(Date.parse(until) - Date.now()).toBeGreaterThan(2_591_000_000);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(arrivals()).toHaveLength(1);
    await run.stop('now');
    expect(await run.result()).toMatchObject({ status: 'stopped' });
  });

  test('of a quota of the day, in a second, is not believed: it is asked about once (C4)', async () => {
    const error = { message: 'Rate limit exceeded: free-models-per-day', code: 429 };
    const fault = { status: 429, headers: { ...json, 'retry-after': '1' }, body: JSON.stringify({ error }) };
    const { run, arrivals } = await rig.play({ script: first(99, fault) });
    expect(await run.result()).toMatchObject({ status: 'failed', text: expect.stringContaining('(quota-day)') });
    expect(arrivals()).toHaveLength(1);
    expect(await eventsOf(run, 'call-waits')).toEqual([]);
  });

  test('too long for a worker counts as a repetition: a run that may not repeat does not wait for it', async () => {
    const strict = await openModelRig({ limits: { retries: 0 } });
    open.push(strict);
    const { run, arrivals } = await strict.play({
      script: first(9, { status: 429, headers: { 'retry-after': '600' } }),
    });
    expect(await run.result()).toMatchObject({
      status: 'failed',
      text: expect.stringContaining('spent what it may spend on repeating'),
    });
    expect(arrivals()).toHaveLength(1);
  });
});

describe('an error of a tool', () => {
  const get = defineTool({
    name: 'get',
    description: 'Gets.',
    input: z.object({ id: z.number().int() }),
    readOnly: true,
    timeout: '2s',
    execute: ({ id }) => run(id),
  });
  let run: (id: number) => Promise<unknown>;
  let tools: ModelRig;
  beforeAll(async () => {
    tools = await openModelRig({ tools: [get] });
  });
  afterAll(() => tools.close());

  const replies = async (...ids: readonly unknown[]) => {
    const calls = ids.map((id) => ({ tool: 'get', input: { id } as { id: string } }));
    return repliesOf((await (await tools.play({ decide: askThenTell(calls) })).run.result()).text);
  };

  test('that is the model’s to mend goes to the model after one execution at most, and never to the engine (C18)', async () => {
    let ran = 0;
    run = () => {
      ran += 1;
      return Promise.reject(Object.assign(new Error('no such thing'), { status: 404 }));
    };
    const [bad, missing] = await replies('x', 7);
    expect(bad).toMatchObject({ status: 'failed', message: expect.stringContaining('id') });
    expect(missing).toMatchObject({ status: 'failed', message: expect.stringContaining('no such thing') });
    expect(ran).toBe(1);
  });

  test('that says it is final is not repeated when another error is thrown around it (C17)', async () => {
    let ran = 0;
    run = () => {
      ran += 1;
      return Promise.reject(new Error('it did not work', { cause: ApplicationFailure.nonRetryable('never') }));
    };
    const [reply] = await replies(1);
    expect(reply).toMatchObject({ status: 'failed', retryable: false });
    expect(ran).toBe(1);
  });
});

test('a run whose model nobody knows any more can be stopped: that asks no model (C21)', async () => {
  const gone = await openModelRig();
  open.push(gone);
  const { run, arrivals } = await gone.play({ script: first(9, { hang: true }) });
  await eventually('the request', () => arrivals().length === 1);
  await gone.stopWorkers();
  const providers = { compatible: { baseURL: gone.peer.url, apiKey: 'k' } };
  await gone.startWorker({ name: 'another', model: 'compatible/m', tools: [] }, { providers });
  await run.stop('now');
  expect(await run.result()).toMatchObject({ status: 'stopped' });
  expect(arrivals()).toHaveLength(1);
});
