import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Cost, RunCost } from '../../src/contracts/cost.ts';
import type { Prices } from '../../src/contracts/price.ts';
import type { RunEvent } from '../../src/contracts/events.ts';
import { requestsOf } from '../../src/policy/cost-of-calls.ts';
import { costReport } from '../../src/policy/cost-report.ts';
import { sumCosts } from '../../src/policy/sum-costs.ts';
import {
  ended,
  modelAttempt,
  pieceOf,
  PRICES,
  started,
  toolAttempt,
  UNKNOWN,
  used,
  type SampleRequest,
} from './cost-events.ts';

const report = (events: readonly RunEvent[], more: { now?: number; prices?: Prices } = {}): RunCost =>
  costReport({ run: 'r', events, prices: PRICES, now: 100_000, ...more });

const costOf = (request: SampleRequest, ...more: readonly RunEvent[]): Cost | undefined =>
  requestsOf(report([started(), ...modelAttempt({ requests: [request] }), ...more]).turns[0]?.calls ?? [])[0]?.cost;

const found = (costMicros: number, responseId = 'gen-1', account = 'openrouter'): RunEvent => {
  return { type: 'cost-found', at: 9, account, responseId, costMicros, usage: used(120, 12) };
};

const broken: SampleRequest = {
  ...{ account: 'openrouter', model: 'v/m', responseId: 'gen-1' },
  end: { outcome: 'cut', usage: UNKNOWN },
};

describe('the cost of a request', () => {
  const cut = { outcome: 'cut', usage: UNKNOWN } as const;
  test.each<[string, SampleRequest, Cost]>([
    ['tokens times the price', { end: {} }, { is: 'measured', micros: 450, by: 'price' }],
    [
      'with caches',
      { end: { usage: used(1_300_000, 500_000, { cacheReadTokens: 200_000, cacheWriteTokens: 100_000 }) } },
      { is: 'measured', micros: 10_935_000, by: 'price' },
    ],
    [
      'what the provider says beats the table',
      { end: { costMicros: 7 } },
      { is: 'measured', micros: 7, by: 'provider' },
    ],
    ['even that it was nothing', { end: { costMicros: 0 } }, { is: 'measured', micros: 0, by: 'provider' }],
    ['a refusal costs nothing', { end: { ...cut, billed: 'no' } }, { is: 'measured', micros: 0, by: 'refused' }],
    [
      'a refusal of a model without a price, too',
      { model: 'x', end: { ...cut, billed: 'no' } },
      { is: 'measured', micros: 0, by: 'refused' },
    ],
    ['a model without a price is not free', { model: 'x', end: {} }, { is: 'unknown', why: 'no-price' }],
    [
      'an error after which it was counted',
      { end: { outcome: 'broken' } },
      { is: 'measured', micros: 450, by: 'price' },
    ],
    [
      'counted up to where it broke off',
      { end: { outcome: 'cut', usage: used(100, 10) } },
      { is: 'estimate', micros: 450, how: 'input as counted, output as counted' },
    ],
    [
      'the input was counted, the output came in part',
      { end: { outcome: 'broken', usage: used(12_000, null), outputChars: 120 } },
      { is: 'estimate', micros: 36_600, how: 'input as counted, output by characters, 3 a token' },
    ],
    [
      'nothing was counted',
      { inputChars: 301, end: { ...cut, outputChars: 4 } },
      { is: 'estimate', micros: 333, how: 'input by characters, 3 a token, output by characters, 3 a token' },
    ],
    [
      'it never ended',
      { inputChars: 300 },
      { is: 'estimate', micros: 300, how: 'input by characters, 3 a token, output not on record, taken as none' },
    ],
    [
      'a whole one that nobody counted',
      { inputChars: 300, end: { usage: UNKNOWN, outputChars: 30 } },
      { is: 'estimate', micros: 450, how: 'input by characters, 3 a token, output by characters, 3 a token' },
    ],
    ['nothing on record to estimate from', { end: cut }, { is: 'unknown', why: 'no-usage' }],
    ['of an older version, without an end', {}, { is: 'unknown', why: 'no-usage' }],
  ])('%s', (_, request, cost) => {
    expect(costOf(request)).toEqual(cost);
  });

  test('what this run has counted of the model beats the rule of thumb', () => {
    const events = [
      started(),
      ...modelAttempt({ requests: [{ inputChars: 200, end: { outputChars: 20, usage: used(100, 10) } }] }),
      ...modelAttempt({
        turn: 2,
        outcome: 'failure',
        requests: [{ inputChars: 300, end: { ...cut, outputChars: 40 } }],
      }),
    ];
    expect(requestsOf(report(events).turns[1]?.calls ?? [])[0]?.cost).toEqual({
      is: 'estimate',
      micros: 150 * 3 + 20 * 15,
      how: 'input by characters, 2 a token as in this run, output by characters, 2 a token as in this run',
    });
  });

  test('of a reply whose worker was lost, what had been passed on counts, with its own attempt and once', () => {
    const lost = { outcome: null, requests: [{ inputChars: 300 }] } as const;
    const events = [
      started(),
      ...modelAttempt(lost),
      pieceOf(1, 'x'.repeat(20)),
      pieceOf(1, 'x'.repeat(10)),
      ...modelAttempt({ ...lost, attempt: 2, from: 2_000 }),
      pieceOf(1, 'x'.repeat(3), { attempt: 2 }),
    ];
    const [first, second] = requestsOf(report(events).turns[0]?.calls ?? []);
    const how = 'input by characters, 3 a token, output by characters, 3 a token';
    expect(first?.cost).toEqual({ is: 'estimate', micros: 100 * 3 + 10 * 15, how });
    expect(second?.cost).toEqual({ is: 'estimate', micros: 100 * 3 + 1 * 15, how });
  });

  test('pieces belong to the request of an attempt that has no end, and to none where all have', () => {
    const hedged = modelAttempt({
      outcome: null,
      requests: [
        { inputChars: 300, end: { outcome: 'lost-hedge', usage: UNKNOWN, outputChars: 0 } },
        { inputChars: 300, reason: 'hedge' },
      ],
    });
    const pieces = pieceOf(1, 'x'.repeat(30));
    const [loser, winner] = requestsOf(report([started(), ...hedged, pieces]).turns[0]?.calls ?? []);
    expect([loser?.cost, winner?.cost]).toMatchObject([{ micros: 300 }, { micros: 450 }]);
    expect(report([started(), ...modelAttempt(), pieces])).toMatchObject({ spend: { micros: 450, estimated: 0 } });
  });

  test('pieces are those of one request, where two have no end', () => {
    const both = [{ inputChars: 300 }, { inputChars: 300, reason: 'hedge' }] as const;
    const events = [started(), ...modelAttempt({ outcome: null, requests: both }), pieceOf(1, 'x'.repeat(30))];
    const costs = requestsOf(report(events).turns[0]?.calls ?? []).map(({ cost }) => cost);
    expect(costs).toMatchObject([{ micros: 300 }, { micros: 450 }]);
  });

  test('what was counted of a reply that broke off tells nothing of how many characters make a token', () => {
    const events = [
      started(),
      ...modelAttempt({
        outcome: 'failure',
        requests: [{ inputChars: 200, end: { outcome: 'cut', outputChars: 2, usage: used(100, 10) } }],
      }),
    ];
    expect(costOf({ inputChars: 301, end: { ...cut, outputChars: 4 } })).toMatchObject({ micros: 333 });
    const more = modelAttempt({ turn: 2, requests: [{ inputChars: 301, end: { ...cut, outputChars: 4 } }] });
    expect(report([...events, ...more]).turns[1]?.spend.micros).toBe(333);
  });

  test('a correction replaces the estimate, and coming twice changes nothing', () => {
    const cost = { is: 'measured', micros: 271, by: 'look-up' };
    expect(costOf(broken)).toEqual({ is: 'unknown', why: 'no-price' });
    expect(costOf(broken, found(271))).toEqual(cost);
    expect(costOf(broken, found(271), found(271))).toEqual(cost);
    expect(costOf({ ...broken, end: { ...cut, responseId: 'gen-1' } }, found(271))).toEqual(cost);
  });

  test('a correction of another reply, or of another account, changes nothing', () => {
    expect(costOf(broken, found(271, 'gen-2'))).toEqual({ is: 'unknown', why: 'no-price' });
    expect(costOf(broken, found(271, 'gen-1', 'other'))).toEqual({ is: 'unknown', why: 'no-price' });
  });

  test('a correction brings the tokens too', () => {
    const { spend } = report([started(), ...modelAttempt({ outcome: 'failure', requests: [broken] }), found(271)]);
    expect(spend).toMatchObject({ micros: 271, inputTokens: 120, outputTokens: 12, estimated: 0, unknown: 0 });
  });
});

test.each([
  ['none', UNKNOWN, { inputTokens: 100, outputTokens: 10, cacheReadTokens: 5 }],
  ['some', used(null, 12), { inputTokens: 100, outputTokens: 12, cacheReadTokens: 5 }],
])('a correction that has %s of the tokens keeps those that are known', (_, usage, expected) => {
  const request = { ...broken, end: { responseId: 'gen-1', usage: used(100, 10, { cacheReadTokens: 5 }) } };
  const correction = { ...found(271), usage } as RunEvent;
  const { spend } = report([started(), ...modelAttempt({ requests: [request] }), correction]);
  expect(spend).toMatchObject({ micros: 271, ...expected });
});

describe('the cost of a run', () => {
  test('has failed attempts and losing hedges in what was spent, and not in the answer', () => {
    const events = [
      started(),
      ...modelAttempt({
        outcome: 'failure',
        requests: [{ inputChars: 300, end: { outcome: 'broken', usage: UNKNOWN, outputChars: 0 } }],
      }),
      ...modelAttempt({
        attempt: 2,
        from: 2_000,
        requests: [
          { inputChars: 300, end: { outcome: 'lost-hedge', usage: UNKNOWN, outputChars: 30 } },
          { reason: 'hedge', end: {} },
        ],
      }),
      ended(5_000),
    ];
    const { answer, spend } = report(events);
    expect(answer).toMatchObject({ micros: 450, requests: 1, estimated: 0, inputTokens: 100 });
    expect(spend).toMatchObject({
      micros: 300 + 450 + 450,
      estimatedMicros: 750,
      requests: 3,
      estimated: 2,
      unknown: 0,
    });
  });

  test('counts a whole reply that nobody could use as spent', () => {
    const events = [started(), ...modelAttempt({ outcome: 'failure' }), ...modelAttempt({ attempt: 2, from: 2_000 })];
    expect(report(events)).toMatchObject({ answer: { micros: 450 }, spend: { micros: 900 } });
  });

  test('a call that was made again, because its result was lost, has one answer', () => {
    const second = modelAttempt({ from: 5_000, requests: [{ end: { usage: used(200, 10) } }] });
    const events = [started(), ...modelAttempt(), ...second];
    expect(report(events)).toMatchObject({
      answer: { micros: 750, requests: 1 },
      spend: { micros: 1_200, requests: 2 },
    });
  });

  test('the end of the answer that could not be written is told by its attempt', () => {
    const events = [started(), ...modelAttempt({ requests: [{ inputChars: 4 }], usage: used(100, 10) })];
    expect(report(events)).toMatchObject({
      answer: { micros: 450, requests: 1 },
      spend: { micros: 450, estimated: 0 },
    });
  });

  test('where two of its requests have no end, an attempt does not say of which it tells', () => {
    const both = [{ inputChars: 300 }, { inputChars: 300, reason: 'hedge' }] as const;
    const { answer, spend } = report([started(), ...modelAttempt({ requests: both, usage: used(100, 10) })]);
    expect(answer.requests).toBe(0);
    expect(spend).toMatchObject({ micros: 600, requests: 2, estimated: 2 });
  });

  test('refused requests have no cost (four times 429, then an answer)', () => {
    const refused = { requests: [{ end: { outcome: 'broken', usage: UNKNOWN, billed: 'no' } as const }] };
    const events = [1, 2, 3, 4].flatMap((attempt) => modelAttempt({ attempt, outcome: 'failure', ...refused }));
    const { spend } = report([started(), ...events, ...modelAttempt({ attempt: 5 })]);
    expect(spend).toMatchObject({ micros: 450, requests: 5, estimated: 0, unknown: 0 });
  });

  test('events that come twice count once', () => {
    const attempt = modelAttempt();
    expect(report([started(), ...attempt, ...attempt]).spend).toMatchObject({ micros: 450, requests: 1 });
  });

  test('names the models without a price, once each', () => {
    const strange = { model: 'strange', end: {} };
    const events = [started(), ...modelAttempt({ requests: [strange, strange, { end: {} }] })];
    expect(report(events)).toMatchObject({
      unpriced: ['maker/strange'],
      spend: { micros: 450, unknown: 2, requests: 3 },
    });
    expect(report(events, { prices: { 'maker/*': { input: 0, output: 0 } } })).toMatchObject({
      unpriced: [],
      spend: { micros: 0, unknown: 0 },
    });
  });

  test('counts replies whose provider is asked for their cost, and does not ask for a price of their model', () => {
    const events = [started(), ...modelAttempt({ outcome: 'failure', requests: [broken, broken] })];
    expect(report(events)).toMatchObject({ awaited: 1, unpriced: [], spend: { unknown: 2 } });
    expect(report([...events, found(271)])).toMatchObject({ awaited: 0, unpriced: [], spend: { unknown: 0 } });
    const givenUp = { type: 'cost-not-found', at: 9, account: 'openrouter', responseId: 'gen-1', why: '404' } as const;
    expect(report([...events, givenUp])).toMatchObject({ awaited: 0, unpriced: ['openrouter/v/m'] });
  });

  test('an attempt of an older version, with its usage and no request on record, counts by its usage', () => {
    const events = [started(), ...modelAttempt({ requests: [], usage: used(100, 10) })];
    expect(report(events)).toMatchObject({ answer: { micros: 450 }, spend: { micros: 450, requests: 1 } });
  });

  test('an attempt that sent nothing costs nothing', () => {
    expect(report([started(), ...modelAttempt({ requests: [], outcome: 'parked' })]).spend).toMatchObject({
      micros: 0,
      requests: 0,
    });
  });

  test('can be read while the run goes on', () => {
    const events = [
      started(),
      ...modelAttempt(),
      ...modelAttempt({ turn: 2, from: 2_000, outcome: null, requests: [{ inputChars: 300 }] }),
    ];
    expect(report(events, { now: 4_000 })).toMatchObject({
      status: 'running',
      endedAt: null,
      spend: { micros: 750, estimated: 1 },
      answer: { micros: 450 },
      time: { totalMs: 4_000, modelMs: 3_000, otherMs: 1_000 },
      turns: [{ turn: 1 }, { turn: 2, calls: [{ endedAt: null, tookMs: 2_000 }] }],
    });
  });

  test('nothing on record is nothing spent', () => {
    expect(report([])).toMatchObject({ agent: '', turns: [], spend: { micros: 0, requests: 0 }, time: { totalMs: 0 } });
  });
});

describe('the time of a run', () => {
  test('is split into model, tools, people, the provider, repetitions and the rest', () => {
    const call = { question: 'q1', call: 't1c0' } as const;
    const events: readonly RunEvent[] = [
      started(),
      ...modelAttempt({ from: 10, to: 110, outcome: 'failure', nextWaitMs: 300 }),
      ...modelAttempt({ attempt: 2, from: 400, to: 500 }),
      ...toolAttempt(1, [600, 800], { nextWaitMs: 100 }),
      ...toolAttempt(1, [900, 1_000], { attempt: 2 }),
      { type: 'question-raised', at: 1_000, ...call },
      { type: 'question-settled', at: 6_000, by: 'ada', question: 'q1' },
      { type: 'call-waits', at: 6_000, call: 't2', turn: 2, waitMs: 4_000, why: 'quota' },
      ...modelAttempt({ turn: 2, from: 9_000, to: 9_500 }),
      ended(11_000),
    ];
    const { time, turns } = report(events);
    expect(time).toEqual({
      totalMs: 11_000,
      modelMs: 100 + 100 + 500,
      toolsMs: 300,
      peopleMs: 5_000,
      providerMs: 3_500,
      retriesMs: 290 + 100,
      otherMs: 10 + 100 + 1_000,
    });
    expect(turns.map((turn) => turn.time)).toMatchObject([
      { totalMs: 8_990, modelMs: 200, peopleMs: 5_000, providerMs: 3_000, otherMs: 100 },
      { totalMs: 2_000, modelMs: 500, peopleMs: 0, providerMs: 500, otherMs: 1_000 },
    ]);
  });

  test('what goes on at once counts once', () => {
    const beside = toolAttempt(1, [500, 2_500]).map((event) => ('call' in event ? { ...event, call: 't1c1' } : event));
    const events = [started(), ...toolAttempt(1, [0, 1_000]), ...beside, ended(3_000)];
    expect(report(events).time).toMatchObject({ toolsMs: 2_500, otherMs: 500 });
  });

  test('a parked call waits for its provider', () => {
    const events = [
      started(),
      ...modelAttempt({ to: 0, outcome: 'parked', nextWaitMs: 900, requests: [] }),
      ...modelAttempt({ attempt: 2, from: 1_000 }),
    ];
    expect(report(events, { now: 2_000 }).time).toMatchObject({ providerMs: 1_000, modelMs: 1_000, retriesMs: 0 });
  });

  test('a lost attempt lasts until the next one begins', () => {
    const events = [
      started(),
      ...modelAttempt({ outcome: null }),
      ...modelAttempt({ attempt: 2, from: 3_000, to: 4_000 }),
      ended(9_000),
    ];
    expect(report(events).time).toMatchObject({ modelMs: 4_000, otherMs: 5_000 });
  });
});

describe('for any run', () => {
  const request = fc.record({
    model: fc.constantFrom('thinker', 'strange'),
    inputChars: fc.option(fc.nat(5_000), { nil: undefined }),
    end: fc.option(
      fc.record({
        outcome: fc.constantFrom('whole', 'broken', 'cut', 'lost-hedge', 'left'),
        usage: fc.constantFrom(UNKNOWN, used(100, 10), used(7, null)),
        outputChars: fc.nat(500),
        costMicros: fc.option(fc.nat(9_999), { nil: undefined }),
      }),
      { nil: undefined },
    ),
  });
  const attempt = fc.record({
    turn: fc.integer({ min: 1, max: 3 }),
    attempt: fc.integer({ min: 1, max: 3 }),
    from: fc.nat(50_000),
    outcome: fc.constantFrom('success', 'failure', 'cancelled', 'parked', null),
    nextWaitMs: fc.option(fc.nat(5_000), { nil: undefined }),
    requests: fc.array(request, { maxLength: 3 }),
  });
  const eventsOf = (attempts: readonly object[]) => [started(), ...attempts.flatMap((one) => modelAttempt(one))];
  const run = fc.array(attempt, { maxLength: 12 });

  test('the parts are the whole, of money and of time, and the answer is a part of what was spent', () => {
    fc.assert(
      fc.property(run, (attempts) => {
        const { turns, spend, answer, time } = report(eventsOf(attempts));
        const calls = turns.flatMap((turn) => turn.calls);
        expect(sumCosts(turns.map((turn) => turn.spend))).toEqual(spend);
        expect(sumCosts(calls.map((call) => call.spend))).toEqual(spend);
        expect(sumCosts(calls.flatMap((call) => call.attempts.map((one) => one.spend)))).toEqual(spend);
        expect(Number.isSafeInteger(spend.micros)).toBe(true);
        expect(answer.micros).toBeLessThanOrEqual(spend.micros);
        expect(spend.estimatedMicros).toBeLessThanOrEqual(spend.micros);
        const { totalMs, ...parts } = time;
        expect(Object.values(parts).reduce((sum, part) => sum + part, 0)).toBe(totalMs);
      }),
    );
  });

  test('in which order the sums are made does not matter', () => {
    const sums = run.chain((attempts) => {
      const parts = requestsOf(report(eventsOf(attempts)).turns.flatMap((turn) => turn.calls)).map(({ cost }) => cost);
      return fc.tuple(fc.constant(parts), fc.shuffledSubarray(parts, { minLength: parts.length }));
    });
    const total = (costs: readonly Cost[]) =>
      costs.reduce((sum, cost) => sum + (cost.is === 'unknown' ? 0 : cost.micros), 0);
    fc.assert(fc.property(sums, ([one, other]) => expect(total(one)).toBe(total(other))));
  });

  test('as more becomes known, what was spent never falls by a request that is new', () => {
    fc.assert(
      fc.property(run, attempt, (attempts, more) => {
        const last = { ...more, turn: 4 };
        const [before, after] = [report(eventsOf(attempts)), report(eventsOf([...attempts, last]))];
        expect(after.spend.requests).toBeGreaterThanOrEqual(before.spend.requests);
        expect(after.turns.find(({ turn }) => turn === 4)?.spend.requests).toBe(last.requests.length);
      }),
    );
  });
});
