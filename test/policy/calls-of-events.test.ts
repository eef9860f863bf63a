import { describe, expect, test } from '@jest/globals';
import type { RunEvent } from '../../src/contracts/events.ts';
import { costReport } from '../../src/policy/cost-report.ts';
import { callsOfEvents } from '../../src/policy/calls-of-events.ts';
import { modelAttempt, PRICES, started, UNKNOWN, used, type Sample } from './cost-events.ts';

const attemptOf = (sample: Sample, usage = used(100, 10)): readonly RunEvent[] =>
  modelAttempt({ ...sample, usage, requests: [{ inputChars: 300, end: { usage } }] });

/** Every way in which two sequences can be one. */
function interleaved<T>(one: readonly T[], other: readonly T[]): readonly (readonly T[])[] {
  const [first, ...rest] = one;
  const [second, ...others] = other;
  if (first === undefined) return [other];
  if (second === undefined) return [one];
  return [
    ...interleaved(rest, other).map((events) => [first, ...events]),
    ...interleaved(one, others).map((events) => [second, ...events]),
  ];
}

const orders = (older: readonly RunEvent[], newer: readonly RunEvent[]) => {
  const [first, ...rest] = older;
  return interleaved(rest, newer).map((events) => [started(), ...(first ? [first] : []), ...events]);
};

const report = (events: readonly RunEvent[]) => costReport({ run: 'r', events, prices: PRICES, now: 99 });

describe('a worker that stood still, and goes on beside the one that replaced it', () => {
  const older = attemptOf({ scheduledAt: 1, from: 10, to: 40 }, used(1_000, 500));
  const newer = attemptOf({ scheduledAt: 9, from: 20, to: 30 }, used(1_000, 7));
  const shapeOf = (events: readonly RunEvent[]) =>
    events.slice(1).map((event) => `${'scheduledAt' in event && event.scheduledAt === 1 ? 'A' : 'B'}-${event.type}`);

  test.each(orders(older, newer).map((events) => [shapeOf(events).join(' '), events] as const))('%s', (_, events) => {
    const { spend, answer } = report(events);
    expect(spend).toMatchObject({ requests: 2, inputTokens: 2_000, outputTokens: 507, estimated: 0, unknown: 0 });
    // The server took what the newer one said.
    expect(answer).toMatchObject({ requests: 1, inputTokens: 1_000, outputTokens: 7 });
  });

  test('each has its own end, and events that come twice count once', () => {
    for (const events of orders(older, newer)) {
      const [call] = callsOfEvents([...events, ...events]);
      expect(call?.attempts).toMatchObject([
        { scheduledAt: 1, startMs: 10, end: { at: 40, usage: used(1_000, 500) }, requests: [{ end: { at: 40 } }] },
        { scheduledAt: 9, startMs: 20, end: { at: 30, usage: used(1_000, 7) }, requests: [{ end: { at: 30 } }] },
      ]);
    }
  });

  test('one that never went on has no end, and no part in the answer', () => {
    const lost = modelAttempt({ scheduledAt: 1, from: 10, outcome: null, requests: [{ inputChars: 300 }] });
    for (const events of orders(lost, newer)) {
      const [call] = callsOfEvents(events);
      expect(call?.attempts).toMatchObject([{ scheduledAt: 1, requests: [{}] }, { end: { at: 30 } }]);
      expect(call?.attempts[0]).not.toHaveProperty('end');
      expect(call?.attempts[0]?.requests[0]).not.toHaveProperty('end');
      expect(report(events).answer).toMatchObject({ requests: 1, outputTokens: 7 });
    }
  });

  test('what was counted of one tells nothing of the characters of the other', () => {
    const sent = (scheduledAt: number, inputChars: number, inputTokens: number) =>
      modelAttempt({
        ...{ scheduledAt, from: scheduledAt },
        requests: [{ inputChars, end: { usage: used(inputTokens, null) } }],
      });
    const guessed = modelAttempt({ turn: 2, requests: [{ inputChars: 200, end: { usage: UNKNOWN, outputChars: 0 } }] });
    for (const events of orders(sent(1, 200, 100), sent(9, 2_000, 1_000))) {
      const { turns } = report([...events, ...guessed]);
      expect(turns[1]?.spend.micros).toBe(100 * 3);
    }
  });
});

test('of older versions, that do not say when an attempt was scheduled, an end is that of the last of its number', () => {
  const lost = modelAttempt({ from: 10, outcome: null, requests: [{ inputChars: 300 }] });
  const [call] = callsOfEvents([started(), ...lost, ...attemptOf({ from: 20, to: 30 })]);
  expect(call?.attempts.map(({ startMs, end }) => [startMs, end?.at])).toEqual([
    [10, undefined],
    [20, 30],
  ]);
});

test('another end of a number that has ended is of another attempt, and the same end twice is one', () => {
  const ends = [30, 50].flatMap((to) => attemptOf({ from: to - 10, to }).slice(-1));
  const [call] = callsOfEvents([started(), ...attemptOf({ from: 10, to: 20 }), ...ends, ...ends.slice(-1)]);
  expect(call?.attempts.map(({ end }) => end?.at)).toEqual([20, 30, 50]);
});
