import { describe, expect, test } from '@jest/globals';
import { AllTargetsFailed, type ModelCallRequest, type ModelMiddleware } from '../../src/contracts/middleware.ts';
import { NotAdmitted, ProbeFailed, type LimitTransition } from '../../src/contracts/shared-limits.ts';
import { askProvider } from '../../src/middleware/ask-provider.ts';
import { breaker } from '../../src/middleware/breaker.ts';
import { composeModelCall } from '../../src/middleware/compose.ts';
import { costMeter, type RequestEnd } from '../../src/middleware/cost-meter.ts';
import { fallback } from '../../src/middleware/fallback.ts';
import { hedge } from '../../src/middleware/hedge.ts';
import { logModelCalls } from '../../src/middleware/log.ts';
import { createRateLimiter } from '../../src/middleware/rate-limiter.ts';
import { rateLimit } from '../../src/middleware/rate-limit.ts';
import { createWorkerLimits } from '../../src/middleware/worker-limits.ts';
import { classifyAttempt, readParking } from '../../src/policy/classify-attempt.ts';
import { createVirtualClock } from '../../src/testing/virtual-clock.ts';
import {
  classify,
  fakeProvider,
  FINISH,
  idOf,
  OPENING,
  requestTo,
  targetOf,
  textIn,
  textOf,
  Trouble,
  WHOLE,
} from './model-calls.ts';

const down = new Trouble('transient', 503);

describe('the breaker', () => {
  function build(answers: Parameters<typeof fakeProvider>[1]) {
    const clock = createVirtualClock();
    const limits = createWorkerLimits({ clock });
    const seen: LimitTransition[] = [];
    limits.onTransition((transition) => seen.push(transition));
    const { call, asked } = fakeProvider(clock, answers);
    return { clock, limits, asked, seen, call: breaker({ limits, clock, classify })(call) };
  }
  const ask = (bench: ReturnType<typeof build>, changes: Partial<ModelCallRequest> = {}, model = 'a') =>
    bench.clock.run(
      bench
        .call(requestTo(model, changes))
        .then(textIn)
        .catch((error: unknown) => error),
    );

  test('opens after 5 failures, sends nothing while open, and says when to come back', async () => {
    const bench = build({ a: { error: down } });
    for (let n = 0; n < 8; n++) await ask(bench);
    expect(bench.asked).toHaveLength(5);
    const refused = await ask(bench);
    expect(refused).toBeInstanceOf(NotAdmitted);
    expect(refused).toMatchObject({ key: 'model:a', why: 'open' });
    const { waitMs, message } = refused as NotAdmitted;
    expect(waitMs).toBeGreaterThanOrEqual(20_000);
    expect(waitMs).toBeLessThanOrEqual(30_000);
    expect(message).toMatch(
      /^Nothing was sent to model provider a: its last attempts all failed.* again in (2\d|30) s\.$/,
    );
    expect(bench.seen).toEqual([
      { what: 'circuit', key: 'model:a', from: 'closed', to: 'open' },
      { what: 'throttle', key: 'model:a', retriesAllowed: false },
    ]);
  });

  test('one account in trouble is no trouble of another', async () => {
    const bench = build({ a: { error: down }, b: {} });
    for (let n = 0; n < 8; n++) await ask(bench);
    expect(await ask(bench, {}, 'b')).toBe('yes');
  });

  test.each<[string, Parameters<typeof fakeProvider>[1][string], boolean]>([
    ['server errors', { error: down }, true],
    ['time-outs', { error: new Trouble('timed-out') }, true],
    ['rate limits', { error: new Trouble('transient', 429) }, true],
    ['an empty account', { error: new Trouble('transient', 402) }, false],
    ['bad requests', { error: new Trouble('permanent', 400) }, false],
    ['bugs', { error: new Error('a bug') }, false],
    ['error parts', { script: [OPENING, textOf('ye'), { type: 'error', error: down }] }, true],
    ['cut streams', { script: [OPENING, textOf('ye')] }, true],
    ['streams that break', { script: [OPENING, textOf('ye'), down] }, true],
    [
      'made-up ends',
      { script: [textOf('ye'), { ...FINISH, finishReason: { unified: 'other', raw: undefined } } as typeof FINISH] },
      true,
    ],
    ['mistakes inside a stream', { script: [OPENING, { type: 'error', error: new Trouble('permanent', 400) }] }, false],
    ['answers', {}, false],
  ])('%s: %#', async (_, answer, counts) => {
    const bench = build({ a: answer });
    for (let n = 0; n < 5; n++) await ask(bench);
    const [{ circuit } = { circuit: undefined }] = await bench.limits.snapshot('model:a');
    expect(circuit).toBe(counts ? 'open' : 'closed');
  });

  test.each([
    ['cancels', new Error('the run was stopped'), 'closed'],
    ['gives up at its own deadline', new Trouble('timed-out'), 'open'],
  ] as const)('a caller that %s: the circuit is %#', async (_, reason, state) => {
    const abortError = new Error('This operation was aborted');
    for (const answer of [
      { script: ['hang'] },
      { script: [OPENING, textOf('ye'), 'hang'] },
      { ms: 1e9, abortError },
    ] as const) {
      const bench = build({ a: answer });
      for (let n = 0; n < 5; n++) {
        const stop = new AbortController();
        const asked = bench
          .call(requestTo('a', { signal: stop.signal }))
          .then(textIn)
          .catch((error: unknown) => error);
        await bench.clock.advance(100);
        stop.abort(reason);
        expect(await bench.clock.run(asked)).toBe('abortError' in answer ? abortError : reason);
      }
      const [limits] = await bench.limits.snapshot('model:a');
      expect(limits?.circuit).toBe(state);
    }
  });

  test('a probe closes it with its first piece; parked calls come in no more at a time than have answered since, plus one', async () => {
    const answers = { a: { error: down } as Parameters<typeof fakeProvider>[1][string] };
    const bench = build(answers);
    for (let n = 0; n < 5; n++) await ask(bench);
    await bench.clock.advance(20_000);
    answers.a = { script: [OPENING, 1_000, textOf('yes'), 60_000, FINISH] };
    const probe = bench.call(requestTo('a', { reason: 'after-park' })).then(textIn);
    expect(await ask(bench, { reason: 'after-park' })).toMatchObject({ why: 'probing' });
    await bench.clock.advance(1_000);
    const first = bench.call(requestTo('a', { reason: 'after-park' })).then(textIn);
    expect(await ask(bench, { reason: 'after-park' })).toMatchObject({ why: 'ramp' });
    await bench.clock.advance(1_000);
    const second = bench.call(requestTo('a', { reason: 'after-park' })).then(textIn);
    expect(await ask(bench, { reason: 'after-park' })).toMatchObject({ why: 'ramp' });
    expect(await bench.clock.run(Promise.all([probe, first, second]))).toEqual(Array(3).fill('yes'));
    const more = [1, 2, 3].map(() => bench.call(requestTo('a', { reason: 'after-park' })).then(textIn));
    expect(await bench.clock.run(Promise.all(more))).toEqual(Array(3).fill('yes'));
  });

  test.each<[string, Parameters<typeof fakeProvider>[1][string]]>([
    ['is refused', { error: down }],
    ['breaks before it says anything', { script: [OPENING, 500, down] }],
    ['ends without a word', { script: [OPENING] }],
  ])('a probe that %s parks its call again until the next may go, and costs it no attempt', async (_, answer) => {
    const answers: Parameters<typeof fakeProvider>[1] = { a: { error: down } };
    const bench = build(answers);
    for (let n = 0; n < 5; n++) await ask(bench);
    await bench.clock.advance(20_000);
    answers['a'] = answer;
    const failed = await ask(bench, { reason: 'after-park' });
    expect(failed).toBeInstanceOf(ProbeFailed);
    expect(readParking(failed, classify)).toBeGreaterThanOrEqual(20_000);
    expect(readParking(failed, classify)).toBeLessThanOrEqual(30_000);
    expect(await ask(bench)).toMatchObject({ why: 'open' });
  });

  test('a probe that learnt nothing ends as it is, and the next probe goes at once', async () => {
    const answers: Parameters<typeof fakeProvider>[1] = { a: { error: down } };
    const bench = build(answers);
    for (let n = 0; n < 5; n++) await ask(bench);
    await bench.clock.advance(20_000);
    const mistake = new Trouble('permanent', 400);
    answers['a'] = { error: mistake };
    expect(await ask(bench)).toBe(mistake);
    answers['a'] = {};
    expect(await ask(bench, { reason: 'after-park' })).toBe('yes');
  });

  test('a retry is refused by an empty bucket, and the same call gets in when it leaves the park', async () => {
    const bench = build({ a: { error: down }, ok: {} });
    for (let n = 0; n < 4; n++) await ask(bench);
    await bench.clock.run(bench.call(requestTo('ok', { target: targetOf('ok', 'a') })).then(textIn));
    for (let n = 0; n < 2; n++) await ask(bench);
    expect(await ask(bench, { reason: 'retry' })).toMatchObject({ why: 'throttled' });
    expect(await ask(bench, { reason: 'after-park', target: targetOf('ok', 'a') })).toBe('yes');
  });
});

describe('the cost meter', () => {
  test.each<[string, Parameters<typeof fakeProvider>[1][string], Partial<RequestEnd>]>([
    ['a whole reply', { script: [idOf('g'), ...WHOLE] }, { is: 'whole', responseId: 'g' }],
    ['a cut one', { script: [idOf('g'), textOf('ye')] }, { is: 'cut', usage: null, responseId: 'g' }],
    ['a broken one', { script: [idOf('g'), down] }, { is: 'broken', usage: null, responseId: 'g', error: down }],
    ['none', { error: down }, { is: 'broken', usage: null, responseId: null, error: down }],
  ])('%s ends once', async (_, answer, end) => {
    const clock = createVirtualClock();
    const { call } = fakeProvider(clock, { a: answer });
    const steps: unknown[] = [];
    const meter = costMeter({
      started: () => void steps.push('started'),
      answered: (_request, known) => steps.push(known),
      ended: (_request, how) => steps.push(how),
    });
    await clock.run(
      meter(call)(requestTo('a'))
        .then(textIn)
        .catch(() => undefined),
    );
    expect(steps[0]).toBe('started');
    expect(steps.at(-1)).toMatchObject(end);
    expect(steps).toHaveLength(end.responseId ? 3 : 2);
  });

  test('a start that cannot be recorded sends nothing', async () => {
    const clock = createVirtualClock();
    const { call, asked } = fakeProvider(clock, { a: {} });
    const meter = costMeter({ started: async () => Promise.reject(new Error('disk full')), ended: () => undefined });
    await expect(meter(call)(requestTo('a'))).rejects.toThrow('disk full');
    expect(asked).toEqual([]);
  });

  test('what the breaker refused is on no bill, and a reader that goes away leaves', async () => {
    const clock = createVirtualClock();
    const limits = createWorkerLimits({ clock });
    const { call } = fakeProvider(clock, { a: { error: down }, b: { script: [textOf('ye'), 'hang'] } });
    const ends: string[] = [];
    const composed = composeModelCall({
      costMeter: costMeter({ started: () => undefined, ended: (_, { is }) => ends.push(is) }),
      breaker: breaker({ limits, clock, classify }),
      provider: call,
    });
    for (let n = 0; n < 6; n++) await clock.run(composed(requestTo('a')).catch(() => undefined));
    expect(ends).toEqual(Array<string>(5).fill('broken'));
    const { stream } = await clock.run(composed(requestTo('b')));
    await stream.cancel();
    expect(ends.at(-1)).toBe('left');
  });
});

describe('fallback', () => {
  function build(answers: Parameters<typeof fakeProvider>[1], targets = [targetOf('b')]) {
    const clock = createVirtualClock();
    const { call, asked } = fakeProvider(clock, answers);
    const wrapped = fallback(targets)(call);
    const ask = (changes: Partial<ModelCallRequest> = {}) =>
      clock.run(
        wrapped(requestTo('a', changes))
          .then(textIn)
          .catch((error: unknown) => error),
      );
    return { clock, asked, ask };
  }

  test('asks the next when one fails before it answered, in order', async () => {
    const { ask, asked } = build({ a: { error: down }, b: { script: [OPENING, down] }, c: {} }, [
      targetOf('b'),
      targetOf('c'),
    ]);
    expect(await ask()).toBe('yes');
    expect(asked.map(({ model }) => model)).toEqual(['a', 'b', 'c']);
  });

  test('names every cause, those that came inside a stream too', async () => {
    const busy = new Error('overloaded');
    const { ask } = build({ a: { script: [OPENING, { type: 'error', error: busy }] }, b: { error: down } });
    expect(((await ask()) as AllTargetsFailed).errors).toEqual([busy, down]);
  });

  test('is no help once the answer has begun: that is a retry, from the start', async () => {
    const { ask, asked } = build({ a: { script: [textOf('ye'), down] }, b: {} });
    expect(await ask()).toBe(down);
    expect(asked).toHaveLength(1);
  });

  test('counts as a repetition only for an account that has just failed', async () => {
    const { ask, asked } = build({ a: { error: down }, b: { error: down }, c: {} }, [
      targetOf('b'),
      targetOf('c', 'a'),
    ]);
    await ask({ reason: 'after-park' });
    expect(asked.map(({ request }) => request.reason)).toEqual(['after-park', 'after-park', 'retry']);
  });

  test('asks nobody else when the caller has gone', async () => {
    const { clock, ask, asked } = build({ a: { script: ['hang'] }, b: {} });
    const stop = new AbortController();
    const answer = ask({ signal: stop.signal });
    stop.abort(new Error('gone'));
    expect(await clock.run(answer)).toEqual(new Error('gone'));
    expect(asked).toHaveLength(1);
  });

  test('with a hedge inside, every cause is in one error', async () => {
    const clock = createVirtualClock();
    const errors = { a: new Error('one'), b: new Error('two'), c: new Error('three') };
    const { call } = fakeProvider(clock, { a: { error: errors.a }, b: { error: errors.b }, c: { error: errors.c } });
    const composed = composeModelCall({
      fallback: fallback([targetOf('c')]),
      hedge: hedge({ backups: [targetOf('b')], afterMs: 50, clock, isHedged: ({ target }) => target.model === 'a' }),
      provider: call,
    });
    const error = await clock.run(composed(requestTo('a')).catch((error: unknown) => error));
    expect((error as AllTargetsFailed).errors).toEqual([errors.a, errors.b, errors.c]);
  });
});

describe('what a failed attempt amounts to', () => {
  const parked = (waitMs: number) => new NotAdmitted('model:a', 'open', waitMs);
  const all = (...causes: unknown[]) => new AllTargetsFailed(causes, 'all');

  test.each<[string, unknown, number | undefined]>([
    ['a refusal here', parked(20_000), 20_000],
    ['refusals everywhere', all(parked(20_000), parked(5_000)), 5_000],
    ['a probe that failed, and a refusal', all(new ProbeFailed('model:a', 20_000, down), parked(30_000)), 20_000],
    ['a refusal and a failure', all(parked(20_000), down), undefined],
    ['a refusal, and a model that will never do', all(parked(20_000), new Trouble('permanent', 401)), 20_000],
    ['models that will never do', all(new Trouble('permanent', 401), new Trouble('permanent', 400)), undefined],
    ['a failure', down, undefined],
  ])('%s parks for: %#', (_, error, waitMs) => {
    expect(readParking(error, classify)).toBe(waitMs);
  });

  test.each<[string, unknown, object]>([
    ['any that may be repeated', all(new Trouble('permanent', 400), down), { kind: 'transient', status: 503 }],
    [
      'none that may',
      all(new Trouble('permanent', 400), new Trouble('permanent', 401)),
      { kind: 'permanent', status: 400 },
    ],
    [
      'a refusal here and a bad request',
      all(parked(9_000), new Trouble('permanent', 400)),
      { kind: 'transient', waitMs: 9_000, delivery: 'maybe-sent' },
    ],
    [
      'only refusals here',
      all(parked(9_000), parked(4_000)),
      { kind: 'transient', waitMs: 4_000, delivery: 'not-sent' },
    ],
  ])('of several causes: %s', (_, error, expected) => {
    expect(classifyAttempt(error, classify)).toMatchObject(expected);
  });
});

describe('the rate limit', () => {
  test('serves in the order of asking, a burst at once and then one an interval', async () => {
    const clock = createVirtualClock();
    const limiter = createRateLimiter({ intervalMs: 100, burst: 2 }, clock);
    const served: [number, number][] = [];
    const all = Array.from({ length: 5 }, async (_, n) => {
      await limiter.take(new AbortController().signal);
      served.push([n, clock.now()]);
    });
    await clock.run(Promise.all(all));
    expect(served).toEqual([
      [0, 0],
      [1, 0],
      [2, 100],
      [3, 200],
      [4, 300],
    ]);
  });

  test('one that no longer waits takes no token, wherever it stood in line', async () => {
    const clock = createVirtualClock();
    const limiter = createRateLimiter({ intervalMs: 100, burst: 1 }, clock);
    const stops = Array.from({ length: 6 }, () => new AbortController());
    const served: [number, number][] = [];
    const all = stops.map(async ({ signal }, n) => {
      await limiter.take(signal).catch(() => undefined);
      if (!signal.aborted) served.push([n, clock.now()]);
    });
    await clock.advance(150);
    // 0 and 1 are through; 2 is at the head of the line, 4 in the middle of it.
    stops[2]?.abort(new Error('gone'));
    stops[4]?.abort(new Error('gone'));
    await clock.run(Promise.all(all));
    expect(served).toEqual([
      [0, 0],
      [1, 100],
      [3, 200],
      [5, 300],
    ]);
  });

  test('whoever is behind one that leaves does not overtake those before it', async () => {
    const clock = createVirtualClock();
    const limiter = createRateLimiter({ intervalMs: 100, burst: 1 }, clock);
    const stops = Array.from({ length: 6 }, () => new AbortController());
    const served: number[] = [];
    const all = stops.map(async ({ signal }, n) => {
      await limiter.take(signal).catch(() => undefined);
      if (!signal.aborted) served.push(n);
    });
    await clock.advance(50);
    // 1 is at the head of the line; 3 leaves it first.
    stops[3]?.abort(new Error('gone'));
    await clock.advance(1);
    stops[1]?.abort(new Error('gone'));
    await clock.run(Promise.all(all));
    expect(served).toEqual([0, 2, 4, 5]);
  });

  test('whoever comes just as a token falls due stands behind those who waited for it', async () => {
    const clock = createVirtualClock();
    const limiter = createRateLimiter({ intervalMs: 100, burst: 1 }, clock);
    const served: string[] = [];
    const take = async (name: string) => {
      await limiter.take(new AbortController().signal);
      served.push(name);
    };
    const late = clock.wait(100).then(() => take('late'));
    await clock.run(Promise.all([take('first'), take('waiting'), late]));
    expect(served).toEqual(['first', 'waiting', 'late']);
  });

  test('an interval of 0 is no limit, and a rule that allows nothing is refused', async () => {
    const clock = createVirtualClock();
    const limiter = createRateLimiter({ intervalMs: 0, burst: 1 }, clock);
    for (let n = 0; n < 1_000; n++) await limiter.take(new AbortController().signal);
    expect(clock.now()).toBe(0);
    expect(() => createRateLimiter({ intervalMs: -1, burst: 1 }, clock)).toThrow('intervalMs is -1');
    expect(() => createRateLimiter({ intervalMs: 1, burst: 0 }, clock)).toThrow('burst is 0');
  });

  test('one limiter serves several accounts, and hedges take a token each', async () => {
    const clock = createVirtualClock();
    const limiter = createRateLimiter({ intervalMs: 1_000, burst: 1 }, clock);
    const { call, asked } = fakeProvider(clock, { a: { ms: 5_000 }, b: { ms: 10 } });
    const composed = composeModelCall({
      hedge: hedge({ backups: [targetOf('b')], afterMs: 50, clock }),
      rateLimit: rateLimit(() => limiter),
      provider: call,
    });
    await clock.run(composed(requestTo('a')).then(textIn));
    expect(asked.map(({ model, at }) => [model, at])).toEqual([
      ['a', 0],
      ['b', 1_000],
    ]);
  });
});

describe('the composed call', () => {
  test('has the user’s own outside, each built-in once a request, and numbers the requests of an attempt', async () => {
    const clock = createVirtualClock();
    const limits = createWorkerLimits({ clock });
    const steps: string[] = [];
    const tell =
      (name: string): ModelMiddleware =>
      (next) =>
      (request) => {
        steps.push(`${name} ${request.target.model} ${request.part}`);
        return next(request);
      };
    const { call } = fakeProvider(clock, { a: { error: down }, b: { error: down }, c: {} });
    const composed = composeModelCall({
      use: [tell('own')],
      fallback: (next) => tell('fallback')(fallback([targetOf('c')])(next)),
      hedge: hedge({ backups: [targetOf('b')], afterMs: 50, clock, isHedged: ({ target }) => target.model === 'a' }),
      rateLimit: tell('rate'),
      breaker: (next) => tell('breaker')(breaker({ limits, clock, classify })(next)),
      costMeter: tell('meter'),
      provider: call,
    });
    for (const attempt of [1, 2]) {
      await clock.run(composed(requestTo('a', { caller: { ...requestTo('a').caller, attempt } })).then(textIn));
    }
    const once = [
      'own a 1',
      'fallback a 1',
      ...['a 1', 'b 2', 'c 3'].flatMap((to) => [`rate ${to}`, `breaker ${to}`, `meter ${to}`]),
    ];
    expect(steps).toEqual([...once, ...once]);
  });

  test('with everything switched off it is the provider', async () => {
    const clock = createVirtualClock();
    const { call, asked } = fakeProvider(clock, { a: {} });
    const composed = composeModelCall({
      fallback: false,
      hedge: false,
      costMeter: false,
      rateLimit: false,
      breaker: false,
      provider: call,
    });
    expect(await clock.run(composed(requestTo('a')).then(textIn))).toBe('yes');
    expect(asked).toHaveLength(1);
  });

  test('a log line holds who asked whom, how long it took and how it ended, and nothing that was said', async () => {
    const clock = createVirtualClock();
    const { call } = fakeProvider(clock, { a: { ms: 40 }, b: { error: down } });
    const lines: unknown[] = [];
    const logged = logModelCalls({ clock, log: (message, fields) => lines.push([message, fields]) })(call);
    await clock.run(logged(requestTo('a')).then(textIn));
    await clock.run(logged(requestTo('b')).catch(() => undefined));
    const shared = { run: 'r', task: 't', agent: 'a', turn: 1, attempt: 1, part: 1, reason: 'first' };
    expect(lines).toEqual([
      ['model request', { ...shared, account: 'a', model: 'a', ms: 40, outcome: 'whole' }],
      ['model request', { ...shared, account: 'b', model: 'b', ms: 0, outcome: 'broken', error: down.message }],
    ]);
  });
});

describe('the provider', () => {
  test('is asked with the options and the signal, and left when it does not hear an abort', async () => {
    const clock = createVirtualClock();
    let begin: (reply: { stream: ReadableStream }) => void = () => undefined;
    const given: unknown[] = [];
    const call = askProvider(
      () =>
        ({
          doStream: (options: unknown) => {
            given.push(options);
            return new Promise((resolve) => (begin = resolve));
          },
        }) as never,
    );
    const stop = new AbortController();
    const answer = call(requestTo('a', { signal: stop.signal })).catch((error: unknown) => error);
    await clock.advance(1);
    stop.abort(new Error('gone'));
    expect(await answer).toEqual(new Error('gone'));
    expect(given).toEqual([{ ...requestTo('a').options, abortSignal: stop.signal }]);
    let left: unknown;
    begin({ stream: new ReadableStream({ cancel: (reason) => void (left = reason) }) });
    await clock.advance(1);
    expect(left).toEqual(new Error('gone'));
  });
});
