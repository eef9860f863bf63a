import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { systemClock } from '../../src/middleware/system-clock.ts';
import { createEventQueue } from '../../src/testing/event-queue.ts';
import { createVirtualClock } from '../../src/testing/virtual-clock.ts';

describe('the virtual clock', () => {
  test('lets days pass at once, timers in their order', async () => {
    const clock = createVirtualClock();
    const rung: [string, number][] = [];
    const ring = async (name: string, ms: number) => {
      await clock.wait(ms);
      rung.push([name, clock.now()]);
    };
    const day = 86_400_000;
    await clock.run(Promise.all([ring('later', 7 * day), ring('first', 5), ring('second', 5), ring('now', 0)]));
    expect(rung).toEqual([
      ['now', 0],
      ['first', 5],
      ['second', 5],
      ['later', 7 * day],
    ]);
  });

  test('advances by just so much', async () => {
    const clock = createVirtualClock();
    let rung = 0;
    void clock.wait(100).then(() => (rung += 1));
    await clock.advance(99);
    expect([rung, clock.now()]).toEqual([0, 99]);
    await clock.advance(1);
    expect([rung, clock.now()]).toEqual([1, 100]);
  });

  test('says so when a task waits for something else', async () => {
    await expect(createVirtualClock().run(new Promise(() => undefined))).rejects.toThrow(
      'nothing is left that will happen',
    );
  });

  test('has the same dice for the same seed, spread over their range', () => {
    const roll = (seed: number) => {
      const { dice } = createVirtualClock({ seed });
      return Array.from({ length: 10_000 }, dice);
    };
    expect(roll(4)).toEqual(roll(4));
    expect(roll(4)).not.toEqual(roll(5));
    const rolls = roll(4);
    expect(Math.min(...rolls)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...rolls)).toBeLessThan(1);
    const tenths = Array.from({ length: 10 }, (_, n) => rolls.filter((roll) => Math.floor(roll * 10) === n).length);
    for (const count of tenths) expect(Math.abs(count - 1_000)).toBeLessThan(150);
  });
});

describe.each([
  ['virtual', () => createVirtualClock()],
  ['real', () => systemClock],
] as const)('waiting by the %s clock', (_, make) => {
  test('ends with the reason of an abort, before or while it waits', async () => {
    const clock = make();
    const reason = new Error('enough');
    await expect(clock.wait(60_000, AbortSignal.abort(reason))).rejects.toBe(reason);
    const stop = new AbortController();
    const waiting = clock.wait(60_000, stop.signal);
    stop.abort(reason);
    await expect(waiting).rejects.toBe(reason);
  });

  test('of nothing, or less, takes no time', async () => {
    const clock = make();
    await clock.wait(0);
    await clock.wait(-5);
  });
});

test('the real clock goes on by itself, and never back', async () => {
  const before = systemClock.now();
  await systemClock.wait(5);
  expect(systemClock.now() - before).toBeGreaterThanOrEqual(4);
  expect(systemClock.dice()).toBeLessThan(1);
});

test('an event queue gives everything back by time, and in the order of arrival at one time', () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 20 })), (times) => {
      const queue = createEventQueue<number>();
      for (const [order, at] of times.entries()) queue.push(at, order);
      const popped: [number, number][] = [];
      for (let next = queue.pop(); next; next = queue.pop()) popped.push([next.at, next.event]);
      const expected = times
        .map((at, order): [number, number] => [at, order])
        .sort((a, b) => a[0] - b[0] || a[1] - b[1]);
      expect(popped).toEqual(expected);
    }),
  );
});
