import { expect, test } from '@jest/globals';
import type { RunEvent } from '../../src/contracts/events.ts';
import { createVirtualClock } from '../../src/testing/virtual-clock.ts';
import { keepEnds } from '../../src/workers/keep-ends.ts';

const said = (text: string): RunEvent => ({ type: 'said', at: 1, turn: 1, text });

/** A store that fails so many times. */
function recorder(failures: number) {
  const clock = createVirtualClock();
  const written: RunEvent[] = [];
  const lost: string[] = [];
  let tries = 0;
  const append = async (_run: string, events: readonly RunEvent[]) => {
    tries += 1;
    if (tries <= failures) throw new Error('database is locked');
    return written.push(...events);
  };
  const onLost = (_: unknown, run: string) => void lost.push(run);
  const ends = keepEnds({ events: { append }, pause: (ms) => clock.wait(ms), onLost });
  return { ends, clock, written, lost, tries: () => tries };
}

test('what the store takes at once is written once, and no longer pending', async () => {
  const { ends, clock, written, tries } = recorder(0);
  await ends.write('r', said('end'));
  await clock.advance(60_000);
  expect([written, ends.pending('r'), tries()]).toEqual([[said('end')], [], 1]);
});

test('what a store that is away for seconds did not take is written when it is back', async () => {
  const { ends, clock, written, lost } = recorder(3);
  await ends.write('r', said('end'));
  await ends.tried('r');
  expect([written, ends.pending('r'), ends.pending('another')]).toEqual([[], [said('end')], []]);
  await clock.advance(4_000);
  expect([written, ends.pending('r'), lost]).toEqual([[said('end')], [], []]);
});

test('a store that stays away is not asked for ever, and whoever listens is told once', async () => {
  const { ends, clock, lost, tries } = recorder(Infinity);
  await ends.write('r', said('end'));
  await clock.advance(31_000);
  expect(lost).toEqual([]);
  await clock.advance(1_000);
  expect([lost, ends.pending('r'), tries()]).toEqual([['r'], [], 7]);
});

test('a store that does not answer holds nobody up for longer than 5 s', async () => {
  const clock = createVirtualClock();
  const append = () => new Promise<number>(() => undefined);
  const ends = keepEnds({ events: { append }, pause: (ms) => clock.wait(ms), onLost: () => undefined });
  void ends.write('r', said('end'));
  await clock.run(ends.tried('r'));
  expect(clock.now()).toBe(5_000);
  expect(ends.pending('r')).toEqual([said('end')]);
});
