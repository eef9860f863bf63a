import { beforeEach, describe, expect, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { awaitEvents, type LookAtHeads } from '../../src/stores/await-events.ts';
import { eventually } from '../support/eventually.ts';

const never = new AbortController().signal;
/** Nobody is quiet, nobody for long. */
const BRISK = { livelyMs: 5, quietMs: 5, livelyForMs: 60_000 };
/** Whoever has waited for a moment is looked for no more. */
const FORGETFUL = { livelyMs: 5, quietMs: 600_000, livelyForMs: 20 };

let heads: Map<string, number>;
/** The runs that were asked about, look by look. */
let looks: (readonly string[])[];
let failure: Error | undefined;
const look: LookAtHeads = (runs) => {
  looks.push(runs);
  return failure ? Promise.reject(failure) : Promise.resolve(heads);
};

beforeEach(() => {
  heads = new Map();
  looks = [];
  failure = undefined;
});

const looked = (times: number) => eventually(`look ${times}`, () => looks.length >= times);

describe('those who wait', () => {
  test('share each look, in which a run is asked about once', async () => {
    const until = awaitEvents(look, BRISK);
    const waiting = Array.from({ length: 200 }, (_, index) => until(`run ${index % 3}`, 0, never));
    await looked(3);
    const before = looks.length;
    heads = new Map(['run 0', 'run 1', 'run 2'].map((run) => [run, 1]));
    await Promise.all(waiting);

    expect(looks.length - before).toBeLessThanOrEqual(2);
    expect(new Set(looks.slice(1).map((runs) => [...runs].sort().join()))).toEqual(new Set(['run 0,run 1,run 2']));
  });

  test('are woken by what is after their offset only', async () => {
    const until = awaitEvents(look, BRISK);
    const woken: number[] = [];
    heads = new Map([['a', 2]]);
    const waiting = [3, 2, 1, 0].map((after) => until('a', after, never).then(() => woken.push(after)));
    await Promise.all(waiting.slice(2));
    expect(woken).toEqual([1, 0]);
    heads = new Map([['a', 4]]);
    await Promise.all(waiting);

    expect(woken).toEqual([1, 0, 3, 2]);
  });

  test('and leave one after the other are looked for no longer: nobody looks when nobody waits', async () => {
    const until = awaitEvents(look, BRISK);
    const aborting = new AbortController();
    const left = until('left', 0, aborting.signal);
    heads = new Map([['woken', 1]]);
    await until('woken', 0, never);
    await looked(looks.length + 1);
    expect(looks.at(-1)).toEqual(['left']);
    aborting.abort();
    await left;
    const before = looks.length;
    await sleep(50);

    expect(looks).toHaveLength(before);
  });

  test('with a signal that has fired are not looked for at all', async () => {
    await awaitEvents(look, BRISK)('a', 0, AbortSignal.abort());

    expect(looks).toEqual([]);
  });

  test('are let go by their signal while a look gets no answer', async () => {
    const aborting = new AbortController();
    const waiting = awaitEvents(() => Promise.withResolvers<never>().promise, BRISK)('a', 0, aborting.signal);
    aborting.abort();

    await expect(waiting).resolves.toBeUndefined();
  });
});

describe('where nothing has happened for a while', () => {
  test('it is looked for seldom, and again in no time once somebody joins', async () => {
    const until = awaitEvents(look, FORGETFUL);
    const quiet = until('quiet', 0, never);
    await sleep(60);
    const before = looks.length;
    await sleep(60);
    expect(looks.length).toBeLessThanOrEqual(before + 1);

    heads = new Map([
      ['quiet', 1],
      ['joined', 1],
    ]);
    await until('joined', 0, never);
    await quiet;
    expect(looks.at(-1)).toEqual(['quiet', 'joined']);
  });

  test('it is looked for all the same', async () => {
    const until = awaitEvents(look, { ...FORGETFUL, quietMs: 30, livelyForMs: 0 });
    const quiet = until('quiet', 0, never);
    await looked(3);
    heads = new Map([['quiet', 1]]);

    await expect(quiet).resolves.toBeUndefined();
  });
});

describe('a look that fails', () => {
  test('is the answer of all who wait', async () => {
    failure = new Error('the disk is gone');
    const until = awaitEvents(look, BRISK);
    const waiting = ['a', 'b'].map((run) => until(run, 0, never));

    for (const one of await Promise.allSettled(waiting)) expect(one).toMatchObject({ reason: failure });
  });

  test('keeps nobody from waiting anew', async () => {
    const until = awaitEvents(look, BRISK);
    failure = new Error('the disk is gone');
    await expect(until('a', 0, never)).rejects.toThrow('the disk is gone');
    failure = undefined;
    heads = new Map([['a', 1]]);

    await expect(until('a', 0, never)).resolves.toBeUndefined();
  });

  test('does not outlive those who left before it', async () => {
    const aborting = new AbortController();
    const until = awaitEvents(async () => {
      await sleep(20);
      throw new Error('too late to matter');
    }, BRISK);
    const waiting = until('a', 0, aborting.signal);
    aborting.abort();

    await expect(waiting).resolves.toBeUndefined();
    // An unhandled rejection would end the process.
    await sleep(40);
  });
});
