import { afterEach, describe, expect, test } from '@jest/globals';
import type { RunHandle } from '../../src/client/run-handle.ts';
import type { HoldfastConfig } from '../../src/contracts/agent.ts';
import { defineTool } from '../../src/policy/define-tool.ts';
import { startModelServer, type ModelFault, type ModelServer, type Rule } from '../../src/testing/index.ts';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { z } from 'zod';
import { eventually } from '../support/eventually.ts';
import { openRig, type Rig, type TestAgent } from '../support/rig.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

interface Setting {
  /** Default: answers at once. */
  readonly decide?: Rule;
  readonly apiKey?: string;
  readonly faults?: readonly ModelFault[];
  readonly agent?: Partial<TestAgent>;
  readonly config?: Partial<HoldfastConfig>;
}

/** A run whose model is asked over the wire, by the real provider package. */
async function start({
  decide = () => ({ text: 'done' }),
  apiKey = 'k',
  faults = [],
  agent = {},
  config = {},
}: Setting): Promise<{
  readonly rig: Rig;
  readonly run: RunHandle;
  readonly server: ModelServer;
  readonly arrivals: readonly number[];
}> {
  const arrivals: number[] = [];
  const server = await startModelServer({
    decide,
    faults,
    onRequest: () => arrivals.push(Date.now()),
  });
  open.push(server);
  const providers = { compatible: { baseURL: server.url, apiKey } };
  const breaker = { pause: '1s', spread: '1ms' } as const;
  const rig = await openRig(
    { model: 'compatible/m', tools: [], ...agent },
    { config: { providers, breaker, ...config } },
  );
  open.push(rig);
  return { rig, run: await rig.client.start({ agent: 'tester', input: 'go' }), server, arrivals };
}

const failing = (requests: number, status = 503): readonly ModelFault[] =>
  Array.from({ length: requests }, (_, at) => ({ request: at + 1, status }));

const kindsOf = async (run: RunHandle) => (await run.events()).map(({ type }) => type);

describe('a model call', () => {
  test('that fails is repeated by one owner alone: the peer counts the attempts (N4, C7, C8)', async () => {
    const { run, server } = await start({
      faults: failing(9, 500),
      agent: { limits: { modelAttempts: 2 } },
      config: { breaker: { failures: 50 } },
    });
    const result = await run.result();
    expect(result).toMatchObject({ status: 'failed', text: expect.stringContaining('all attempts are used up') });
    expect(server.requests()).toHaveLength(2);
  });

  test('waits and repeats as its agent’s author has it', async () => {
    const { run, server, arrivals } = await start({
      faults: failing(2, 400),
      agent: { classify: () => 'retry', backoff: { base: '900ms', jitter: 'fixed' } },
      config: { breaker: { failures: 50 } },
    });
    expect(await run.result()).toMatchObject({ status: 'completed' });
    expect(server.requests()).toHaveLength(3);
    const [first = 0, second = 0] = arrivals;
    expect(second - first).toBeGreaterThanOrEqual(880);
  });

  test('refused for good is asked once', async () => {
    const { run, server } = await start({ faults: failing(9, 401) });
    expect(await run.result()).toMatchObject({ status: 'failed', text: expect.stringContaining('(auth)') });
    expect(server.requests()).toHaveLength(1);
  });

  test('comes back when the server said, and not before (C1, C6)', async () => {
    const faults = [1, 2].map((request) => ({ request, status: 429, headers: { 'retry-after': '2' } }));
    const { run, arrivals } = await start({ faults });
    expect(await run.result()).toMatchObject({ status: 'completed' });
    const [first = 0, second = 0, third = 0] = arrivals;
    expect(second - first).toBeGreaterThanOrEqual(2_000);
    expect(third - second).toBeGreaterThanOrEqual(2_000);
  });

  test('that is to wait longer than a worker sleeps waits in the run, which says so, or ends where its deadline comes first', async () => {
    const faults = [{ request: 1, status: 429, headers: { 'retry-after': '600' } }];
    const { run } = await start({ faults });
    const view = await eventually('the wait', async () => {
      const now = await run.state();
      return now?.waitingFor.includes('provider') ? now : undefined;
    });
    expect(view.calls.at(-1)).toMatchObject({ state: 'sleeping', why: expect.stringContaining('Asked again from') });
    expect(await run.events()).toContainEqual(expect.objectContaining({ type: 'call-waits', call: 't1' }));
    await run.stop('now');
    expect(await run.result()).toMatchObject({ status: 'stopped' });
    const hurried = await start({ faults, agent: { limits: { deadline: '1m' } } });
    expect(await hurried.run.result()).toMatchObject({
      status: 'failed',
      text: expect.stringMatching(/would have to wait 6\d\d s, and the run's deadline is in \d+ s/),
    });
  });

  test('is parked while its provider is given a pause: nothing is sent, no attempt is used, and the run shows it', async () => {
    const { rig, run, server, arrivals } = await start({
      faults: failing(4),
      agent: { limits: { modelAttempts: 3, retries: 3 } },
      config: { breaker: { failures: 2, pause: '2s', spread: '1ms' } },
    });
    await eventually('the park', async () => (await run.state())?.waitingFor.includes('provider'), 20_000);
    expect(server.requests().length).toBeLessThanOrEqual(3);
    const shown = await eventually('the breaker to be shown', async () =>
      (await rig.client.limits()).find(({ limits }) => limits.some(({ circuit }) => circuit !== 'closed')),
    );
    expect(shown).toMatchObject({ worker: expect.stringMatching(/^\d+@/), limits: [{ key: 'model:compatible' }] });
    // Two ordinary failures open it; two probes fail and cost nothing; the third finds the provider.
    expect(await run.result()).toMatchObject({ status: 'completed', text: 'done' });
    expect(server.requests()).toHaveLength(5);
    const [, second = 0, third = 0, fourth = 0, fifth = 0] = arrivals;
    for (const [before, after] of [
      [second, third],
      [third, fourth],
      [fourth, fifth],
    ] as const) {
      expect(after - before).toBeGreaterThanOrEqual(1_900);
    }
    expect((await run.state())?.waitingFor).toEqual([]);
    const requests = (await run.events()).filter(({ type }) => type === 'request-sent');
    expect(requests).toHaveLength(5);
  });

  test('that breaks off is repeated whole, and each request is on record with how it ended', async () => {
    const { run, server } = await start({ faults: [{ request: 1, cutAfterBytes: 200 }] });
    expect(await run.result()).toMatchObject({ status: 'completed' });
    expect(server.requests()).toHaveLength(2);
    const ended = (await run.events()).flatMap((event) => (event.type === 'request-ended' ? [event] : []));
    expect(ended.map(({ outcome }) => outcome)).toEqual([expect.stringMatching(/broken|cut/), 'whole']);
    expect(ended[0]?.usage.inputTokens).toBeNull();
    expect(ended[1]?.usage.inputTokens).toBeGreaterThan(0);
  });

  test('spends what the run may spend on repeating, and no more (N9)', async () => {
    const { run, server } = await start({
      faults: failing(30),
      agent: { limits: { modelAttempts: 30, retries: 2 } },
      config: { breaker: { failures: 50 } },
    });
    expect(await run.result()).toMatchObject({
      status: 'failed',
      text: expect.stringContaining('spent what it may spend on repeating'),
    });
    expect(server.requests()).toHaveLength(3);
  });
});

test('a tool that keeps failing is given a pause by all agents of the worker, and the model is told until when', async () => {
  let ran = 0;
  const get = defineTool({
    name: 'get',
    description: 'Gets.',
    input: z.object({ n: z.number() }),
    readOnly: true,
    timeout: '1s',
    maxAttempts: 1,
    classify: () => ({ kind: 'transient', delivery: 'not-sent', message: 'down' }),
    execute: () => {
      ran += 1;
      return Promise.reject(new Error('down'));
    },
  });
  const { run } = await start({
    decide: ({ turn, results }) =>
      turn < 4 ? { calls: [{ tool: 'get', input: { n: turn } }] } : { text: JSON.stringify(results) },
    agent: { tools: [get] },
    config: { breaker: { failures: 2, pause: '10m', spread: '1ms' } },
  });
  const replies = (JSON.parse((await run.result()).text) as { reply: object }[]).map(({ reply }) => reply);
  expect(ran).toBe(2);
  expect(replies.slice(2)).toEqual(
    [1, 2].map(() => ({
      status: 'unavailable',
      message: expect.stringContaining('get was not called'),
      retryable: true,
      availableAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    })),
  );
});

test.each([
  ['reads', { readOnly: true }],
  ['writes', { idempotent: true }],
] as const)('what a breaker keeps back of a tool that %s uses up no retry of the run', async (_, effect) => {
  const ran = { broken: 0, shaky: 0 };
  const tool = (name: keyof typeof ran, without: readonly 'breaker'[]) =>
    defineTool({
      ...{ name, without, description: 'Gets.', input: z.object({}), ...effect, timeout: '1s' },
      backoff: { base: '1ms', jitter: 'fixed' },
      classify: () => ({ kind: 'transient', delivery: 'not-sent', message: 'down' }),
      execute: () => {
        ran[name] += 1;
        return name === 'shaky' && ran.shaky > 1 ? Promise.resolve('ok') : Promise.reject(new Error('down'));
      },
    });
  const { run } = await start({
    decide: ({ turn, results }) =>
      turn < 2
        ? { calls: [{ tool: turn === 0 ? 'broken' : 'shaky', input: {} }] }
        : { text: JSON.stringify(results.map(({ reply }) => (reply as { status: string }).status)) },
    agent: { tools: [tool('broken', []), tool('shaky', ['breaker'])], limits: { retries: 1 } },
    config: { breaker: { failures: 1, pause: '10m', spread: '1ms' } },
  });
  expect(JSON.parse((await run.result()).text)).toEqual(['unavailable', 'ok']);
  expect(ran).toEqual({ broken: 1, shaky: 2 });
});

test('a rate limit holds for every tool call of a worker, and none of them is lost', async () => {
  const began: number[] = [];
  const get = defineTool({
    name: 'get',
    description: 'Gets.',
    input: z.object({ n: z.number() }),
    readOnly: true,
    timeout: '1s',
    execute: () => {
      began.push(Date.now());
      return Promise.resolve('ok');
    },
  });
  const { run } = await start({
    decide: ({ turn }) =>
      turn === 0 ? { calls: [0, 1, 2].map((n) => ({ tool: 'get', input: { n } })) } : { text: 'done' },
    agent: { tools: [get] },
    config: { rateLimits: { 'tool:get': { every: '700ms' } } },
  });
  expect(await run.result()).toMatchObject({ status: 'completed' });
  const [first = 0, second = 0, third = 0] = began;
  expect(began).toHaveLength(3);
  expect(second - first).toBeGreaterThanOrEqual(650);
  expect(third - second).toBeGreaterThanOrEqual(650);
});

describe('a run whose provider is down', () => {
  const down = (config: Partial<HoldfastConfig['breaker']> = {}, agent: Partial<TestAgent> = {}) =>
    start({ faults: failing(99), agent, config: { breaker: { failures: 2, pause: '1s', spread: '1ms', ...config } } });
  const waits = (run: RunHandle) => async () => (await run.state())?.waitingFor.includes('provider');

  test('shows that it waits for it for as long as it does', async () => {
    const { run, server } = await down();
    await eventually('the park', waits(run), 20_000);
    await eventually('two probes', () => server.requests().length >= 4, 20_000);
    expect((await run.state())?.waitingFor).toEqual(['provider']);
    expect((await run.describe())?.waitingFor).toEqual(['provider']);
    await run.stop('now');
  });

  test('ends at its deadline, and says that it was the deadline', async () => {
    const { run } = await down({ pause: '3s' }, { limits: { deadline: '9s' } });
    expect(await run.result()).toMatchObject({ status: 'failed', text: expect.stringContaining("run's") });
    expect((await run.result()).text).toContain('deadline');
  });

  test('ends at once when it is stopped, also safely: nothing is under way', async () => {
    const { run } = await down({ pause: '10m' });
    await eventually('the park', waits(run), 20_000);
    const began = Date.now();
    await run.stop();
    expect(await run.result()).toMatchObject({ status: 'stopped' });
    expect(Date.now() - began).toBeLessThan(5_000);
  });

  test('is parked also beside a fallback that will never do', async () => {
    const always = (status: number) =>
      startModelServer({ decide: () => ({ text: 'no' }), faults: failing(99, status) });
    const [primary, broken] = [await always(503), await always(401)];
    open.push(primary, broken);
    const make = (name: string, { url }: ModelServer) =>
      createOpenAICompatible({ name, baseURL: url, apiKey: 'k' }).languageModel('m');
    const model = { primary: make('a', primary), fallback: [make('b', broken)] };
    const { run } = await down({}, { model, limits: { modelAttempts: 9 } });
    await eventually('the park', waits(run), 30_000);
    await run.stop('now');
  });
});

test('a key that a provider says back is in no result, no event and no state', async () => {
  const apiKey = 'team-key-that-looks-like-nothing-2f6a';
  const body = JSON.stringify({ error: { message: `Incorrect API key provided: ${apiKey}`, code: 'invalid_api_key' } });
  const { run } = await start({ decide: () => ({ text: 'no' }), faults: [{ request: 1, status: 401, body }], apiKey });
  const result = await run.result();
  expect(result).toMatchObject({ status: 'failed', text: expect.stringContaining('(auth)') });
  expect(JSON.stringify([result, await run.events(), await run.state()])).not.toContain(apiKey);
});

test('a key that a provider says back in the middle of a stream is in nothing that watchers see either', async () => {
  const apiKey = 'team-key-that-looks-like-nothing-2f6a';
  const piece = { choices: [{ index: 0, delta: { content: 'half a ' }, finish_reason: null }] };
  // Words that by themselves look like no secret: only who knows the key can leave it out.
  const error = { message: `nobody here knows ${apiKey}`, code: 'invalid_api_key' };
  const chunks = [{ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', ...piece }, { error }];
  const body = chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('');
  const headers = { 'content-type': 'text/event-stream' };
  const { run } = await start({ faults: [{ request: 1, status: 200, headers, body }], apiKey });
  const result = await run.result();
  expect(result).toMatchObject({ status: 'failed', text: expect.stringContaining('(auth)') });
  const events = await run.events({ pieces: true });
  expect(events.map(({ type }) => type)).toContain('piece');
  expect(JSON.stringify([result, events, await run.state()])).not.toContain(apiKey);
});

test('a wait that nobody can sleep wedges nothing', async () => {
  const { run } = await start({ faults: [{ request: 1, status: 429, headers: { 'retry-after': '9999999999999' } }] });
  await eventually('the wait, or the end', async () => {
    const view = await run.state();
    return view?.waitingFor.includes('provider') === true || view?.status === 'failed';
  });
  await run.stop('now');
  expect((await run.result()).status).toMatch(/stopped|failed/);
});

test('a quota of the day is asked about once, whatever short wait comes with it', async () => {
  const body = JSON.stringify({
    error: { message: 'Rate limit reached on requests per day (RPD)', code: 'rate_limit_exceeded' },
  });
  const { run, server } = await start({
    faults: [1, 2, 3].map((request) => ({ request, status: 429, headers: { 'retry-after': '2' }, body })),
  });
  expect(await run.result()).toMatchObject({ status: 'failed' });
  expect(server.requests()).toHaveLength(1);
});

test('one of thirteen calls of a turn that fails is repeated: they share what the run may spend', async () => {
  const ran = new Map<number, number>();
  const get = defineTool({
    name: 'get',
    description: 'Gets.',
    input: z.object({ n: z.number() }),
    readOnly: true,
    timeout: '5s',
    execute: ({ n }) => {
      ran.set(n, (ran.get(n) ?? 0) + 1);
      return n === 6 && ran.get(n) === 1 ? Promise.reject(new Error('down')) : Promise.resolve('ok');
    },
    classify: () => ({ kind: 'transient', delivery: 'not-sent', message: 'down' }),
  });
  const { run } = await start({
    decide: ({ turn, results }) =>
      turn === 0
        ? { calls: Array.from({ length: 13 }, (_, n) => ({ tool: 'get', input: { n } })) }
        : { text: JSON.stringify(results.map(({ reply }) => (reply as { status: string }).status)) },
    agent: { tools: [get] },
    config: { breaker: { failures: 1_000 } },
  });
  const { text } = await run.result();
  const statuses = JSON.parse(text) as string[];
  expect(statuses).toEqual(Array(13).fill('ok'));
  expect(ran.get(6)).toBe(2);
});

describe('several models', () => {
  test('a fallback answers where the first one refuses', async () => {
    const { run, server } = await start({
      faults: failing(1, 401),
      agent: { model: { primary: 'compatible/first', fallback: ['compatible/second'] } },
    });
    expect(await run.result()).toMatchObject({ status: 'completed' });
    expect(server.requests().map(({ body }) => (body as { model: string }).model)).toEqual(['first', 'second']);
  });

  test('two of one name are two: each is asked where it is', async () => {
    const make = (baseURL: string) => createOpenAICompatible({ name: 'acme', baseURL, apiKey: 'k' }).languageModel('m');
    const [first, second] = [
      await startModelServer({ decide: () => ({ text: 'first' }) }),
      await startModelServer({ decide: () => ({ text: 'second' }) }),
    ];
    open.push(first, second);
    const { run } = await start({ agent: { model: { primary: make(first.url), fallback: [make(second.url)] } } });
    expect(await run.result()).toMatchObject({ text: 'first' });
    expect(second.requests()).toHaveLength(0);
  });

  test('a reply that ends before it began is asked for again, also with a fallback', async () => {
    const { run, server } = await start({
      faults: [1, 2].map((request) => ({
        request,
        status: 200,
        headers: { 'content-type': 'text/event-stream' },
        body: 'data: [DONE]\n\n',
      })),
      agent: { model: { primary: 'compatible/first', fallback: ['compatible/second'] } },
    });
    expect(await run.result()).toMatchObject({ status: 'completed' });
    expect(server.requests()).toHaveLength(3);
  });

  test('a hedge answers where the first one is slow, and the loser is on record (N6)', async () => {
    const { run, server } = await start({
      faults: [{ request: 1, hang: true }],
      agent: { model: { primary: 'compatible/slow', hedge: { afterMs: 100, models: ['compatible/fast'] } } },
    });
    expect(await run.result()).toMatchObject({ status: 'completed' });
    expect(server.requests()).toHaveLength(2);
    const ends = await eventually('both ends', async () => {
      const events = (await run.events()).flatMap((event) => (event.type === 'request-ended' ? [event] : []));
      return events.length === 2 && events;
    });
    expect(new Map(ends.map(({ model, outcome }) => [model, outcome]))).toEqual(
      new Map([
        ['slow', 'lost-hedge'],
        ['fast', 'whole'],
      ]),
    );
  });

  test('a wrapper of the user’s sees each attempt, and a built-in can be left out', async () => {
    const seen: number[] = [];
    const { run } = await start({
      faults: failing(3),
      agent: {
        without: ['breaker'],
        use: [
          (next) => (request) => {
            seen.push(request.caller.attempt);
            return next(request);
          },
        ],
      },
      config: { breaker: { failures: 1, pause: '10m' } },
    });
    expect(await run.result()).toMatchObject({ status: 'completed' });
    expect(seen).toEqual([1, 2, 3, 4]);
    expect(await kindsOf(run)).not.toContain('call-waits');
  });
});

test('tools that repeat share the run’s budget with its model calls', async () => {
  let ran = 0;
  const get = defineTool({
    name: 'get',
    description: 'Gets.',
    input: z.object({}),
    readOnly: true,
    timeout: '1s',
    execute: () => {
      ran += 1;
      return Promise.reject(Object.assign(new Error('down'), { code: 'ECONNREFUSED' }));
    },
    classify: () => ({ kind: 'transient', delivery: 'not-sent', message: 'down' }),
  });
  const { run } = await start({
    decide: ({ turn, results }) =>
      turn === 0 ? { calls: [{ tool: 'get', input: {} }] } : { text: JSON.stringify(results) },
    agent: { tools: [get], limits: { retries: 1 } },
  });
  expect((await run.result()).text).toContain('unavailable');
  expect(ran).toBe(2);
});
