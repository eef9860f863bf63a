import { afterEach, expect, test } from '@jest/globals';
import { z } from 'zod';
import { defineTool } from '../../src/policy/define-tool.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';
import { eventually } from '../support/eventually.ts';
import { openRig, type Rig } from '../support/rig.ts';
import { askThenTell, repliesOf } from '../support/rules.ts';

let rig: Rig;
afterEach(() => rig.close());

const input = z.object({ order: z.string() });

/** Makes a history long without doing anything: each of these is refused, or wakes nobody. */
async function makeLong(run: string): Promise<void> {
  const handle = rig.temporal.workflow.getHandle(run);
  for (let batch = 0; batch < 30; batch++) {
    await Promise.all(Array.from({ length: 70 }, () => handle.signal('lateOutcome', { call: 't99c0', claim: 'none' })));
  }
}

async function executionOf(run: string): Promise<string> {
  return (await rig.temporal.workflow.getHandle(run).describe()).runId;
}

test('a long history is continued as new between turns, with all answers', async () => {
  let end: (value: unknown) => void = () => undefined;
  const slow = defineTool({
    name: 'slow',
    description: 'Slow.',
    input,
    readOnly: true,
    timeout: '40s',
    execute: () => new Promise((resolve) => (end = resolve)),
  });
  const fast = defineTool({
    name: 'fast',
    description: 'Fast.',
    input,
    readOnly: true,
    timeout: '4s',
    execute: ({ order }) => Promise.resolve(order),
  });
  rig = await openRig({
    model: scriptedModel(
      askThenTell([{ tool: 'slow', input: { order: 'A' } }], [{ tool: 'fast', input: { order: 'B' } }]),
    ),
    tools: [slow, fast],
  });
  const run = await rig.client.start({ agent: 'tester', input: 'go' });
  const first = await executionOf(run.id);
  await eventually('the slow tool', async () => (await run.state())?.calls.some(({ name }) => name === 'slow'));
  await makeLong(run.id);
  end('slow');
  expect(repliesOf((await run.result()).text).map(({ data }) => data)).toEqual(['slow', 'B']);
  expect(await executionOf(run.id)).not.toBe(first);
});

test('a question outlives continue-as-new: the same id, the same late news, the same decision', async () => {
  let arrivals = 0;
  const pay = defineTool({
    name: 'pay',
    description: 'Pays.',
    input,
    timeout: '1s',
    landsWithin: '60s',
    intent: ({ order }) => `pay:${order}`,
    execute: () => {
      arrivals += 1;
      return new Promise(() => undefined);
    },
  });
  rig = await openRig(
    { model: scriptedModel(askThenTell([{ tool: 'pay', input: { order: 'A' } }])), tools: [pay] },
    { grace: '1s' },
  );
  const run = await rig.client.start({ agent: 'tester', input: 'go' });
  const before = await eventually('a question', async () => (await run.state())?.questions[0]);
  const first = await executionOf(run.id);
  await makeLong(run.id);
  await eventually('the next execution', async () => (await executionOf(run.id)) !== first);
  const after = await eventually('the question', async () => (await run.state())?.questions[0]);
  expect(after).toEqual(before);
  const decided = await run.resolveOutcome({
    question: before.id,
    verdict: 'happened',
    result: 'paid',
    by: 'ann',
    reason: 'seen',
  });
  expect(decided).toMatchObject({ is: 'applied', to: 'run' });
  expect(repliesOf((await run.result()).text)).toMatchObject([{ status: 'ok', data: 'paid' }]);
  expect(arrivals).toBe(1);
});
