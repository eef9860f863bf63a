import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { z } from 'zod';
import { defineTool } from '../../src/policy/define-tool.ts';
import type { RouterStory } from './router-peer.ts';
import { openRouterRig, type RoutedRun, type RouterRig } from './router-rig.ts';

const step = defineTool({
  name: 'step',
  description: 'Goes one step.',
  input: z.object({ turn: z.number() }),
  readOnly: true,
  timeout: '10s',
  execute: ({ turn }) => Promise.resolve(`step ${turn}`),
});

let rig: RouterRig;
beforeAll(async () => {
  rig = await openRouterRig({ tools: [step], limits: { equalCalls: 100 } });
});
afterAll(() => rig.close());

/** A run of so many turns, the last of which has the answer; its `cutAt`-th request breaks off in the middle. */
const storyOf = (turns: number, cutAt?: number): RouterStory => ({
  decide: ({ turn }) =>
    turn < turns - 1 ? { calls: [{ tool: 'step', input: { turn } }] } : { text: `done after ${turns} turns` },
  script: (request) => (request === cutAt ? { cutAfter: 2 } : undefined),
});

const LONG = 41;
const CUT: Readonly<Record<number, number>> = { 3: 1, 11: 2, 19: 3 };

test('of 23 runs in parallel, three of them cut in mid-stream, and one of 41 turns cut at its last, all finish and the bill is ours', async () => {
  const long = await rig.play(storyOf(LONG, LONG));
  const short = await Promise.all(Array.from({ length: 23 }, (_, at) => rig.play(storyOf(3, CUT[at]))));
  const runs: readonly RoutedRun[] = [long, ...short];
  const results = await Promise.all(runs.map(({ run }) => run.result()));
  expect(results.map(({ status, text }) => [status, text])).toEqual(
    runs.map((run) => ['completed', `done after ${run === long ? LONG : 3} turns`]),
  );
  const arrivals = runs.map(({ input }) => rig.peer.arrivals(input));
  expect(arrivals).toEqual(runs.map((run, at) => (run === long ? LONG + 1 : CUT[at - 1] === undefined ? 3 : 4)));
  const costs = await Promise.all(runs.map(({ run }) => rig.settled(run)));
  expect(costs.map(({ spend }) => spend.micros)).toEqual(runs.map((run) => run.owed()));
  const bill = rig.peer.bill();
  expect(costs.reduce((sum, { spend }) => sum + spend.micros, 0)).toBe(
    bill.reduce((sum, { micros }) => sum + micros, 0),
  );
  expect(costs.reduce((sum, { spend }) => sum + spend.requests, 0)).toBe(bill.length);
  // Those that broke off are on the bill, and not in the answers.
  expect(costs.filter(({ spend, answer }) => spend.micros > answer.micros)).toHaveLength(4);
});
