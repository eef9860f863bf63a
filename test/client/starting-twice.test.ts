import { afterEach, describe, expect, test } from '@jest/globals';
import { openEvents } from '../../src/stores/open-stores.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';
import { eventually } from '../support/eventually.ts';
import { openRig, type Rig } from '../support/rig.ts';

let rig: Rig;
afterEach(() => rig.close());

const NOTHING = { inputTokens: 0, outputTokens: 0, unmetered: 0 };

let ids = 0;
const newId = () => `start-${process.pid}-${Date.now()}-${++ids}`;

/** An agent that says how often its model was asked. */
async function countingRig(delayMs = 0) {
  let asked = 0;
  rig = await openRig({ model: scriptedModel(() => ({ text: `answer ${++asked}` }), { delayMs }), tools: [] });
  return () => asked;
}

const start = (runId: string) => rig.client.start({ agent: 'tester', input: 'go', runId });

describe('a run id that is used again', () => {
  test('while it runs: the same run', async () => {
    const asked = await countingRig(500);
    const runId = newId();
    const runs = await Promise.all([start(runId), start(runId), start(runId)]);
    expect(new Set(await Promise.all(runs.map(async (run) => (await run.result()).text)))).toEqual(
      new Set(['answer 1']),
    );
    expect(asked()).toBe(1);
  });

  test('when it is done: its recorded answer, and no second run', async () => {
    const asked = await countingRig();
    const runId = newId();
    const first = await (await start(runId)).result();
    expect(await (await start(runId)).result()).toEqual(first);
    expect(asked()).toBe(1);
  });

  test('when the server has forgotten it: still its recorded answer', async () => {
    const asked = await countingRig();
    const runId = newId();
    // As after the server's retention: our store knows the run, the server does not.
    const result = { status: 'completed', text: 'from long ago', open: [], spend: NOTHING, taskId: runId } as const;
    const events = openEvents(rig.settings.events);
    await events.append(runId, [{ type: 'run-ended', at: 1, status: 'completed', result }]);
    await events.close();
    expect(await (await start(runId)).result()).toEqual(result);
    expect(asked()).toBe(0);
  });

  test('when it ended without an answer: a second run', async () => {
    await countingRig(20_000);
    const runId = newId();
    const run = await start(runId);
    await eventually('the run to begin', async () => (await run.state())?.turn === 1);
    await run.stop('now');
    expect(await run.result()).toMatchObject({ status: 'stopped' });
    const { runId: stopped } = await rig.temporal.workflow.getHandle(runId).describe();
    const again = await start(runId);
    expect((await rig.temporal.workflow.getHandle(runId).describe()).runId).not.toBe(stopped);
    await again.stop('now');
    await again.result();
  });

  test('when it was terminated: a second run', async () => {
    const asked = await countingRig(300);
    const runId = newId();
    const run = await start(runId);
    await eventually('the run to begin', async () => (await run.state())?.turn === 1);
    await rig.temporal.workflow.getHandle(runId).terminate();
    expect(await (await start(runId)).result()).toMatchObject({ status: 'completed' });
    expect(asked()).toBeGreaterThanOrEqual(1);
  });
});

test('asked for again and again while it ends: one execution, one answer', async () => {
  const asked = await countingRig(150);
  const runId = newId();
  const until = Date.now() + 2_500;
  const callers = Array.from({ length: 5 }, async () => {
    const texts: string[] = [];
    while (Date.now() < until) texts.push((await (await start(runId)).result()).text);
    return texts;
  });
  expect(new Set((await Promise.all(callers)).flat())).toEqual(new Set(['answer 1']));
  expect(asked()).toBe(1);
});
