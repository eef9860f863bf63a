import { describe, expect, test } from '@jest/globals';
import type { StreamEvent } from '../../src/contracts/events.ts';
import { streamStanding } from '../../src/policy/stream-standing.ts';

const about = { at: 1, turn: 2, attempt: 1 };
const piece = (call: string, stream: number, seq: number): StreamEvent => {
  return { type: 'piece', ...about, of: 'text', part: '0', delta: 'x', call, stream, seq, offset: 9 };
};
const reset = (call: string, stream: number): StreamEvent => ({ type: 'reset', ...about, call, stream, offset: 9 });

describe('an attempt that has written nothing', () => {
  const own = { call: 't2', stream: undefined, seq: 0 };
  test.each([
    ['begins the first stream in a run without pieces', undefined, { stream: 1, resets: false }],
    ['begins the first stream of its call after another call', piece('t1', 3, 7), { stream: 1, resets: false }],
    ['voids what an earlier attempt of its call has shown', piece('t2', 1, 4), { stream: 2, resets: true }],
    ['voids also where that one has shown nothing but a reset', reset('t2', 2), { stream: 3, resets: true }],
  ])('%s', (_, newest, begins) => {
    expect(streamStanding(own, newest)).toEqual({ is: 'begins', ...begins });
  });
});

describe('an attempt that has written four pieces of stream 2', () => {
  const own = { call: 't2', stream: 2, seq: 4 };
  test.each([
    ['goes on', piece('t2', 2, 4), { is: 'goes-on', stream: 2, written: 0 }],
    ['knows two that were written though nobody said so', piece('t2', 2, 6), { is: 'goes-on', stream: 2, written: 2 }],
    ['is silent once a later attempt has begun', reset('t2', 3), { is: 'overtaken' }],
    ['is silent once the next turn has begun', piece('t3', 1, 1), { is: 'overtaken' }],
    ['is silent where the store was lost', undefined, { is: 'overtaken' }],
  ])('%s', (_, newest, standing) => {
    expect(streamStanding(own, newest)).toEqual(standing);
  });

  test('goes on after its own reset', () => {
    expect(streamStanding({ ...own, seq: 0 }, reset('t2', 2))).toEqual({ is: 'goes-on', stream: 2, written: 0 });
  });
});
