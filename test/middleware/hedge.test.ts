import { describe, expect, test } from '@jest/globals';
import { AllTargetsFailed, LostHedge } from '../../src/contracts/middleware.ts';
import { breaker } from '../../src/middleware/breaker.ts';
import { composeModelCall } from '../../src/middleware/compose.ts';
import { costMeter, type RequestEnd } from '../../src/middleware/cost-meter.ts';
import { hedge } from '../../src/middleware/hedge.ts';
import { createWorkerLimits } from '../../src/middleware/worker-limits.ts';
import { createVirtualClock } from '../../src/testing/virtual-clock.ts';
import {
  classify,
  fakeProvider,
  FINISH,
  idOf,
  OPENING,
  readParts,
  requestTo,
  targetOf,
  textIn,
  textOf,
  Trouble,
  WHOLE,
} from './model-calls.ts';

const fail = (what: string) => new Error(what);

function build(
  answers: Parameters<typeof fakeProvider>[1],
  { afterMs, backups = ['b'] }: { afterMs: number; backups?: readonly string[] },
) {
  const clock = createVirtualClock();
  const { call, asked } = fakeProvider(clock, answers);
  const hedged = hedge({ backups: backups.map((model) => targetOf(model)), afterMs, clock });
  return { clock, asked, hedged, call: hedged(call), provider: call };
}

describe('a hedge', () => {
  test('answers after about 80 ms when the primary takes 400, the backup 30, and is asked after 50', async () => {
    const { clock, call, asked } = build({ a: { ms: 400 }, b: { ms: 30 } }, { afterMs: 50 });
    expect(await clock.run(call(requestTo('a')).then(textIn))).toBe('yes');
    expect(clock.now()).toBe(80);
    expect(asked.map(({ model, at }) => [model, at])).toEqual([
      ['a', 0],
      ['b', 50],
    ]);
  });

  test('is brought forward by an error: at 20 ms with a delay of 500, the answer is there at about 50', async () => {
    const { clock, call } = build({ a: { ms: 20, error: fail('no') }, b: { ms: 30 } }, { afterMs: 500 });
    expect(await clock.run(call(requestTo('a')).then(textIn))).toBe('yes');
    expect(clock.now()).toBe(50);
  });

  test('is not needed when the primary is quick enough', async () => {
    const { clock, call, asked } = build({ a: { ms: 40 }, b: {} }, { afterMs: 50 });
    await clock.run(call(requestTo('a')).then(textIn));
    await clock.advance(1_000);
    expect(asked.map(({ model }) => model)).toEqual(['a']);
  });

  test('after 0 ms all are asked at once', async () => {
    const answers = { a: { ms: 9 }, b: { ms: 5 }, c: { ms: 7 } };
    const { clock, call, asked } = build(answers, { afterMs: 0, backups: ['b', 'c'] });
    await clock.run(call(requestTo('a')).then(textIn));
    expect(asked.map(({ model, at }) => [model, at])).toEqual([
      ['a', 0],
      ['b', 0],
      ['c', 0],
    ]);
    expect(clock.now()).toBe(5);
  });

  test('several backups come one after the other; an error starts the wait for the next anew', async () => {
    const answers = { a: { ms: 1_000 }, b: { ms: 30, error: fail('no') }, c: { ms: 1_000 }, d: { ms: 10 } };
    const { clock, call, asked } = build(answers, { afterMs: 100, backups: ['b', 'c', 'd'] });
    await clock.run(call(requestTo('a')).then(textIn));
    expect(asked.map(({ model, at }) => [model, at])).toEqual([
      ['a', 0],
      ['b', 100],
      ['c', 130],
      ['d', 230],
    ]);
  });

  test('wins with the first piece of content, not with headers, and nothing of the reply is missing', async () => {
    const slow = [OPENING, idOf('1'), { type: 'text-start', id: 't' } as const, 300, textOf('slow'), FINISH];
    const { clock, call } = build({ a: { script: slow }, b: { ms: 20 } }, { afterMs: 50 });
    const reply = await clock.run(call(requestTo('a')));
    expect(await textIn(reply)).toBe('yes');
    const again = build({ a: { script: slow }, b: { ms: 900 } }, { afterMs: 50 });
    const parts = await again.clock.run(again.call(requestTo('a')).then(readParts));
    expect(parts.map(({ type }) => type)).toEqual([
      'stream-start',
      'response-metadata',
      'text-start',
      'text-delta',
      'finish',
    ]);
  });

  test.each([
    ['an error part', [OPENING, { type: 'error', error: fail('overloaded') } as const]],
    ['the end of the stream', [OPENING]],
    ['an empty reply', [OPENING, FINISH]],
    ['a broken connection', [OPENING, fail('reset')]],
  ])('%s before any content counts as an error', async (_, script) => {
    const { clock, call } = build({ a: { script }, b: { ms: 30 } }, { afterMs: 500 });
    expect(await clock.run(call(requestTo('a')).then(textIn))).toBe('yes');
    expect(clock.now()).toBe(30);
  });

  test('a reply that was held back whole is an answer, though it says nothing', async () => {
    const filtered = { ...FINISH, finishReason: { unified: 'content-filter', raw: 'filter' } } as typeof FINISH;
    const { clock, call, asked } = build({ a: { script: [OPENING, filtered] }, b: {} }, { afterMs: 50 });
    await clock.run(call(requestTo('a')).then(textIn));
    expect(asked).toHaveLength(1);
  });

  test('all fail: one error holds every cause, in the order in which they were asked', async () => {
    const answers = { a: { ms: 100, error: fail('one') }, b: { ms: 10, error: fail('two') } };
    const { clock, call } = build(answers, { afterMs: 0 });
    const error = await clock.run(call(requestTo('a')).catch((error: unknown) => error));
    expect(error).toBeInstanceOf(AllTargetsFailed);
    expect((error as AllTargetsFailed).errors).toEqual([fail('one'), fail('two')]);
    expect((error as AllTargetsFailed).message).toBe('Each of 2 requests failed: one · two');
  });

  test('without backups the call is passed through as it is', () => {
    const { provider } = build({}, { afterMs: 50 });
    expect(hedge({ backups: [], afterMs: 50, clock: createVirtualClock() })(provider)).toBe(provider);
  });

  test('the end of the whole request ends every part of it, and begins nothing', async () => {
    const { clock, call, asked } = build({ a: { script: ['hang'] }, b: {} }, { afterMs: 500 });
    const stop = new AbortController();
    const answer = call(requestTo('a', { signal: stop.signal })).catch((error: unknown) => error);
    await clock.advance(100);
    stop.abort(new Error('the run was stopped'));
    expect(await clock.run(answer)).toEqual(new Error('the run was stopped'));
    await clock.advance(10_000);
    expect(asked).toHaveLength(1);
  });

  test('the loser is aborted with its reason; the winner is not, even later', async () => {
    const { clock, call, asked } = build(
      { a: { script: [OPENING, 'hang'] }, b: { script: [textOf('b'), 5_000, FINISH] } },
      { afterMs: 50 },
    );
    expect(await clock.run(call(requestTo('a')).then(textIn))).toBe('b');
    expect(asked.map(({ request }) => request.signal.reason as unknown)).toEqual([new LostHedge(), undefined]);
  });

  test('refuses a delay that is none', () => {
    expect(() => hedge({ backups: [targetOf('b')], afterMs: Number.NaN, clock: createVirtualClock() })).toThrow(
      "A hedge's afterMs is NaN",
    );
  });
});

describe('a hedge with limits and a meter below it', () => {
  function full(answers: Parameters<typeof fakeProvider>[1]) {
    const clock = createVirtualClock();
    const { call, asked } = fakeProvider(clock, answers);
    const limits = createWorkerLimits({ clock });
    const ends: (RequestEnd & { model: string; part: number })[] = [];
    const composed = composeModelCall({
      hedge: hedge({ backups: [targetOf('b', 'a')], afterMs: 50, clock }),
      costMeter: costMeter({
        started: () => undefined,
        ended: ({ target, part }, end) => ends.push({ ...end, model: target.model, part }),
      }),
      // Whatever an abort looks like to it, a lost hedge is no failure.
      breaker: breaker({ limits, clock, classify: (error) => ({ ...classify(error), kind: 'transient' }) }),
      provider: call,
    });
    return { clock, asked, limits, ends, call: composed };
  }

  test('every request is metered under its own number, the loser with the id it had got', async () => {
    const { clock, call, ends } = full({ a: { script: [OPENING, idOf('gen-1'), 400, ...WHOLE] }, b: { ms: 30 } });
    await clock.run(call(requestTo('a')).then(textIn));
    expect(ends).toMatchObject([
      { model: 'a', part: 1, is: 'lost-hedge', usage: null, responseId: 'gen-1' },
      { model: 'b', part: 2, is: 'whole', usage: { inputTokens: { total: 10 } } },
    ]);
  });

  test('a lost hedge is not held against its provider', async () => {
    const { clock, call, limits } = full({ a: { ms: 400 }, b: { ms: 30 } });
    for (let n = 0; n < 10; n++) await clock.run(call(requestTo('a')).then(textIn));
    expect(await limits.snapshot('model:a')).toMatchObject([{ circuit: 'closed', failures: 0, milliTokens: 10_000 }]);
  });

  test('nothing is hedged once the throttle or the breaker says no', async () => {
    const { clock, call, limits, asked } = full({ a: { ms: 400 }, b: { ms: 30 } });
    for (let failure = 0; failure < 4; failure++) {
      const admission = await limits.admit('model:a', { reason: 'first', timeoutMs: 1 });
      if (admission.is === 'admitted') await limits.report('model:a', admission.ticket, 'failure');
    }
    // 6 tokens: still allowed. One failure more and it is not, though only the success of a lies in between.
    await clock.run(call(requestTo('a')).then(textIn));
    expect(asked.map(({ model }) => model)).toEqual(['a', 'b']);
    for (let failure = 0; failure < 2; failure++) {
      const admission = await limits.admit('model:a', { reason: 'first', timeoutMs: 1 });
      if (admission.is === 'admitted') await limits.report('model:a', admission.ticket, 'failure');
    }
    const began = clock.now();
    expect(await clock.run(call(requestTo('a')).then(textIn))).toBe('yes');
    expect(clock.now() - began).toBe(400);
    expect(asked.map(({ model }) => model)).toEqual(['a', 'b', 'a']);
  });

  test('in an outage a call costs its one request', async () => {
    const down = { error: new Trouble('transient', 503), ms: 10 };
    const { clock, call, asked } = full({ a: down, b: down });
    for (let n = 0; n < 40; n++) await clock.run(call(requestTo('a')).catch(() => undefined));
    // Until it opens the circuit sees 5 failures, hedges included.
    expect(asked).toHaveLength(5);
  });
});
