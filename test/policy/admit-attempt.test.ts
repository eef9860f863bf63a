import { describe, expect, test } from '@jest/globals';
import type { AttemptReason } from '../../src/contracts/shared-limits.ts';
import { admitAttempt, freshLimits, noteAttempt, type LimitState } from '../../src/policy/admit-attempt.ts';
import { BREAKER_RULE } from '../../src/policy/circuit-breaker.ts';

const { pauseMs } = BREAKER_RULE;

const ask = (state: LimitState, reason: AttemptReason, now: number) => {
  const { admission } = admitAttempt(state, { reason, timeoutMs: 1_000, id: 9 }, now);
  return admission.is === 'admitted' ? admission.ticket.role : admission.why;
};

const CLOSED = freshLimits();
const DRAINED: LimitState = { ...CLOSED, throttle: 5_000 };
const OPEN: LimitState = { throttle: 5_000, circuit: { is: 'open', epoch: 1, probeAt: 1_000 } };
const PROBING: LimitState = { throttle: 0, circuit: { is: 'probing', epoch: 1, probe: { id: 1, lostAt: 50_000 } } };

describe('who must allow an attempt', () => {
  test.each<[string, LimitState, number, Record<AttemptReason, string>]>([
    ['all is well', CLOSED, 0, { first: 'ordinary', retry: 'ordinary', hedge: 'ordinary', 'after-park': 'after-park' }],
    ['5 tokens', DRAINED, 0, { first: 'ordinary', retry: 'throttled', hedge: 'throttled', 'after-park': 'after-park' }],
    ['open', OPEN, 999, { first: 'open', retry: 'open', hedge: 'open', 'after-park': 'open' }],
    ['a probe is due', OPEN, 1_000, { first: 'probe', retry: 'throttled', hedge: 'throttled', 'after-park': 'probe' }],
    [
      'a probe is due, the bucket is full',
      { ...OPEN, throttle: 10_000 },
      1_000,
      { first: 'probe', retry: 'probe', hedge: 'open', 'after-park': 'probe' },
    ],
    [
      'a probe is under way',
      PROBING,
      5_000,
      { first: 'probing', retry: 'probing', hedge: 'probing', 'after-park': 'probing' },
    ],
  ])('%s', (_, state, now, expected) => {
    for (const reason of Object.keys(expected) as AttemptReason[]) {
      expect([reason, ask(state, reason, now)]).toEqual([reason, expected[reason]]);
    }
  });

  test('what is refused changes nothing, and says when to ask again', () => {
    const { admission, state } = admitAttempt(DRAINED, { reason: 'retry', timeoutMs: 1_000, id: 9 }, 0);
    expect(admission).toEqual({ is: 'refused', why: 'throttled', waitMs: pauseMs, spreadMs: 10_000 });
    expect(state).toBe(DRAINED);
  });

  test.each([
    ['success', 5_100],
    ['failure', 4_000],
    ['neutral', 5_000],
    ['answering', 5_000],
  ] as const)('%s leaves %i milli-tokens of 5,000', (report, milliTokens) => {
    const ticket = { id: 1, epoch: 0, role: 'ordinary' } as const;
    expect(noteAttempt(DRAINED, { ticket, report }, 0).throttle).toBe(milliTokens);
  });
});
