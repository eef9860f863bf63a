import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Effect } from '../../src/contracts/effect.ts';
import type { Delivery, Failure, FailureKind } from '../../src/contracts/failure.ts';
import { judge, type Verdict } from '../../src/policy/judge.ts';
import { worstDelivery } from '../../src/policy/worst-delivery.ts';

const EFFECTS: readonly Effect[] = ['read-only', 'idempotent', 'by-key', 'unflagged'];
const KINDS: readonly FailureKind[] = [
  'transient',
  'timed-out',
  'permanent',
  'unreadable',
  'thrown',
  'in-progress',
  'key-reused',
  'held-back',
  'cancelled',
];
const DELIVERIES: readonly Delivery[] = ['not-sent', 'refused', 'maybe-sent'];

/** retry · failed, unavailable: told · +: told that it may have been applied · unknown · cancelled */
type Short = 'retry' | 'failed' | 'unavailable' | 'failed+' | 'unavailable+' | 'unknown' | 'cancelled';

const short = (verdict: Verdict): Short =>
  verdict.is === 'tell-model' ? (`${verdict.status}${verdict.mayHaveApplied ? '+' : ''}` as Short) : verdict.is;

const failure = (kind: FailureKind, delivery: Delivery): Failure => ({ kind, delivery, message: 'm' });

// kind, delivery of this attempt, spent, worst of all attempts -> read-only, idempotent, by-key, unflagged
const TABLE: readonly (readonly [FailureKind, Delivery, 'left' | 'spent', Delivery, Short, Short, Short, Short])[] = [
  // not sent, or refused with "later"
  ['transient', 'not-sent', 'left', 'not-sent', 'retry', 'retry', 'retry', 'retry'],
  ['transient', 'refused', 'left', 'refused', 'retry', 'retry', 'retry', 'retry'],
  ['transient', 'refused', 'spent', 'refused', 'unavailable', 'unavailable', 'unavailable', 'unavailable'],
  ['transient', 'refused', 'spent', 'maybe-sent', 'unavailable', 'unavailable+', 'unknown', 'unknown'],
  ['transient', 'refused', 'left', 'maybe-sent', 'retry', 'retry', 'retry', 'unknown'],
  // not sent, or refused for good
  ['permanent', 'not-sent', 'left', 'not-sent', 'failed', 'failed', 'failed', 'failed'],
  ['permanent', 'refused', 'left', 'refused', 'failed', 'failed', 'failed', 'failed'],
  ['permanent', 'refused', 'left', 'maybe-sent', 'failed', 'failed+', 'unknown', 'unknown'],
  // unavailable or timed out, and maybe sent
  ['transient', 'maybe-sent', 'left', 'maybe-sent', 'retry', 'retry', 'retry', 'unknown'],
  ['timed-out', 'maybe-sent', 'left', 'maybe-sent', 'retry', 'retry', 'retry', 'unknown'],
  // a 2xx answer that cannot be read
  ['unreadable', 'maybe-sent', 'left', 'maybe-sent', 'retry', 'retry', 'retry', 'unknown'],
  // any other error
  ['thrown', 'maybe-sent', 'left', 'maybe-sent', 'failed', 'failed+', 'unknown', 'unknown'],
  ['permanent', 'maybe-sent', 'left', 'maybe-sent', 'failed', 'failed+', 'unknown', 'unknown'],
  // attempts spent, some attempt maybe sent
  ['transient', 'maybe-sent', 'spent', 'maybe-sent', 'unavailable', 'unavailable+', 'unknown', 'unknown'],
  ['timed-out', 'maybe-sent', 'spent', 'maybe-sent', 'unavailable', 'unavailable+', 'unknown', 'unknown'],
  // cancelled before and after sending
  ['cancelled', 'not-sent', 'left', 'not-sent', 'cancelled', 'cancelled', 'cancelled', 'cancelled'],
  ['cancelled', 'maybe-sent', 'left', 'maybe-sent', 'cancelled', 'failed+', 'unknown', 'unknown'],
  // our own limits did not let it go
  ['held-back', 'not-sent', 'left', 'not-sent', 'unavailable', 'unavailable', 'unavailable', 'unavailable'],
  ['held-back', 'not-sent', 'left', 'maybe-sent', 'unavailable', 'unavailable+', 'unknown', 'unknown'],
  // 409 and 422 with our key
  ['in-progress', 'maybe-sent', 'left', 'maybe-sent', 'failed', 'retry', 'retry', 'unknown'],
  ['in-progress', 'maybe-sent', 'spent', 'maybe-sent', 'failed', 'unavailable+', 'unknown', 'unknown'],
  ['key-reused', 'maybe-sent', 'left', 'maybe-sent', 'failed', 'unknown', 'unknown', 'unknown'],
];

describe('the table that decides every failure', () => {
  test.each(TABLE)('%s, %s, attempts %s, worst %s', (kind, delivery, attempts, worst, ...expected) => {
    const spent = attempts === 'spent';
    const judged = EFFECTS.map((effect) => short(judge({ failure: failure(kind, delivery), effect, worst, spent })));
    expect(judged).toEqual(expected);
  });
});

const anyCase = fc.record({
  kind: fc.constantFrom(...KINDS),
  delivery: fc.constantFrom(...DELIVERIES),
  before: fc.constantFrom(...DELIVERIES),
  spent: fc.boolean(),
});

const judged = (
  effect: Effect,
  { kind, delivery, before, spent }: { kind: FailureKind; delivery: Delivery; before: Delivery; spent: boolean },
) => judge({ failure: failure(kind, delivery), effect, worst: worstDelivery(before, delivery), spent });

describe('whatever happens', () => {
  test('an unflagged attempt that may have acted is never retried and never called failed', () => {
    fc.assert(
      fc.property(anyCase, (one) => {
        fc.pre(one.delivery === 'maybe-sent');
        expect(judged('unflagged', one)).toEqual({ is: 'unknown' });
      }),
    );
  });

  test('nothing is retried once its attempts are spent', () => {
    fc.assert(
      fc.property(anyCase, fc.constantFrom(...EFFECTS), (one, effect) => {
        expect(judged(effect, { ...one, spent: true }).is).not.toBe('retry');
      }),
    );
  });

  test('a reading tool never raises a question', () => {
    fc.assert(
      fc.property(anyCase, (one) => {
        expect(judged('read-only', one).is).not.toBe('unknown');
      }),
    );
  });

  test('only an idempotent tool is told that it may have been applied; where any attempt may have acted, no other is told an end', () => {
    fc.assert(
      fc.property(anyCase, fc.constantFrom<Effect>('by-key', 'unflagged'), (one, effect) => {
        const verdict = judged(effect, one);
        const mayHaveActed = one.delivery === 'maybe-sent' || one.before === 'maybe-sent';
        if (verdict.is === 'tell-model') expect([verdict.mayHaveApplied, mayHaveActed]).toEqual([false, false]);
      }),
    );
  });
});
