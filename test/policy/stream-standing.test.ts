import { describe, expect, test } from '@jest/globals';
import type { StreamEvent } from '../../src/contracts/events.ts';
import { streamStanding } from '../../src/policy/stream-standing.ts';

const about = { at: 1, call: 't', attempt: 1, scheduledAt: 50 };
const piece = (turn: number, stream: number, seq: number): StreamEvent => {
  return { type: 'piece', ...about, of: 'text', part: '0', delta: 'x', turn, stream, seq, offset: 9 };
};
const reset = (turn: number, stream: number): StreamEvent => ({ type: 'reset', ...about, turn, stream, offset: 9 });

describe('an attempt of turn 2 that has written nothing', () => {
  const own = { turn: 2, scheduledAt: 60, stream: undefined, seq: 0 };
  test.each([
    ['begins the first stream in a run without pieces', undefined, { stream: 1, resets: false }],
    ['begins the next stream after another turn', piece(1, 3, 7), { stream: 4, resets: false }],
    ['voids what an earlier attempt has shown', piece(2, 1, 4), { stream: 2, resets: true }],
    ['voids also where that one has shown nothing but a reset', reset(2, 2), { stream: 3, resets: true }],
    ['voids later turns, which a run taken back has yet to come to', piece(5, 6, 1), { stream: 7, resets: true }],
  ])('%s', (_, newest, begins) => {
    expect(streamStanding(own, newest)).toEqual({ is: 'begins', ...begins });
  });
});

test.each([
  ['of its own turn', piece(2, 1, 4)],
  ['of a later turn', piece(3, 1, 4)],
  ['of an earlier turn that the run was taken back to', piece(1, 4, 1)],
])('an attempt that was scheduled before the one %s that shows something is silent from the beginning', (_, newest) => {
  expect(streamStanding({ turn: 2, scheduledAt: 40, stream: undefined, seq: 0 }, newest)).toEqual({ is: 'overtaken' });
});

describe('an attempt that has written four pieces of stream 2', () => {
  const own = { turn: 2, scheduledAt: 50, stream: 2, seq: 4 };
  test.each([
    ['goes on', piece(2, 2, 4), { is: 'goes-on', stream: 2, written: 0 }],
    ['knows two that were written though nobody said so', piece(2, 2, 6), { is: 'goes-on', stream: 2, written: 2 }],
    ['is silent once a later attempt has begun', reset(2, 3), { is: 'overtaken' }],
    ['is silent once the next turn has begun', piece(3, 3, 1), { is: 'overtaken' }],
    ['begins anew where the store was lost', undefined, { is: 'begins', stream: 3, resets: true }],
  ])('%s', (_, newest, standing) => {
    expect(streamStanding(own, newest)).toEqual(standing);
  });

  test('goes on after its own reset', () => {
    expect(streamStanding({ ...own, seq: 0 }, reset(2, 2))).toEqual({ is: 'goes-on', stream: 2, written: 0 });
  });
});
