import { afterEach, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { defineTool } from '../../src/policy/define-tool.ts';
import type { RunHandle } from '../../src/client/run-handle.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';
import { eventually } from '../support/eventually.ts';
import { openRig, type Rig } from '../support/rig.ts';
import { askThenTell, repliesOf } from '../support/rules.ts';

let rig: Rig;
afterEach(() => rig.close());

const ONE_CALL = [{ tool: 'pay', input: { order: 'A' } }];
const ACTIVITY = 't1c0s1';
const namespace = 'default';

/** A body that acts at once and answers when told, in a run that is in the middle of it. */
async function inTheMiddle(timeout: '2s' | '20s' = '20s') {
  let arrivals = 0;
  let land: (value: unknown) => void = () => undefined;
  const pay = defineTool({
    name: 'pay',
    description: 'Pays.',
    input: z.object({ order: z.string() }),
    timeout,
    landsWithin: '1s',
    intent: ({ order }) => `pay:${order}`,
    execute: (_, ctx) => {
      arrivals += 1;
      return new Promise((resolve, reject) => {
        land = resolve;
        // A body that obeys its signal: it must not be told to end by what an operator does.
        ctx.signal.addEventListener('abort', () => {
          reject(new Error('aborted'));
        });
      });
    },
  });
  rig = await openRig({ model: scriptedModel(askThenTell(ONE_CALL)), tools: [pay] });
  const run = await rig.client.start({ agent: 'tester', input: 'go' });
  await eventually('the body to begin', () => arrivals === 1);
  return { run, arrivals: () => arrivals, land: (value: unknown) => land(value) };
}

const execution = (run: RunHandle) => ({ workflowId: run.id });
const service = () => rig.temporal.workflowService;

async function endsWell(run: RunHandle): Promise<void> {
  const result = await run.result();
  expect(repliesOf(result.text)).toEqual([{ status: 'ok', data: 'paid' }]);
  expect((await rig.records(run.id)).map(({ is }) => is)).not.toContain('unknown');
}

interface Pending {
  readonly paused: boolean;
  readonly lastBeat: string;
}

async function pendingOf(run: RunHandle): Promise<Pending | undefined> {
  const { raw } = await rig.temporal.workflow.getHandle(run.id).describe();
  const [pending] = raw.pendingActivities ?? [];
  return pending && { paused: pending.paused === true, lastBeat: JSON.stringify(pending.lastHeartbeatTime ?? null) };
}

/** A command reaches a body on the answer to its next heartbeat: two beats later it has been heard. */
async function untilHeard(run: RunHandle): Promise<void> {
  for (let beats = 0, last = (await pendingOf(run))?.lastBeat; beats < 2; beats++) {
    last = await eventually('a heartbeat', async () => {
      const now = (await pendingOf(run))?.lastBeat;
      return now !== last && now;
    });
  }
}

async function untilPaused(run: RunHandle, paused: boolean): Promise<void> {
  await eventually(
    paused ? 'the pause' : 'the end of the pause',
    async () => (await pendingOf(run))?.paused === paused,
  );
}

describe('an unflagged call in flight: one arrival, no false end, no question about a call that ends well', () => {
  test.each([{ resetAttempts: false }, { resetAttempts: true }])(
    'paused and unpaused (%p)',
    async ({ resetAttempts }) => {
      const { run, arrivals, land } = await inTheMiddle();
      await service().pauseActivity({ namespace, execution: execution(run), id: ACTIVITY, identity: 'operator' });
      await untilPaused(run, true);
      await untilHeard(run);
      await service().unpauseActivity({
        namespace,
        execution: execution(run),
        id: ACTIVITY,
        identity: 'operator',
        resetAttempts,
      });
      await untilPaused(run, false);
      land('paid');
      await endsWell(run);
      expect(arrivals()).toBe(1);
    },
  );

  test('reset by an operator', async () => {
    const { run, arrivals, land } = await inTheMiddle();
    await service().resetActivity({ namespace, execution: execution(run), id: ACTIVITY, identity: 'operator' });
    await untilHeard(run);
    land('paid');
    await endsWell(run);
    expect(arrivals()).toBe(1);
  });

  test('paused, then reset', async () => {
    const { run, arrivals, land } = await inTheMiddle();
    await service().pauseActivity({ namespace, execution: execution(run), id: ACTIVITY, identity: 'operator' });
    await untilPaused(run, true);
    await untilHeard(run);
    await service().resetActivity({ namespace, execution: execution(run), id: ACTIVITY, identity: 'operator' });
    land('paid');
    await endsWell(run);
    expect(arrivals()).toBe(1);
  });

  test('given more attempts, then timing out', async () => {
    const { run, arrivals, land } = await inTheMiddle('2s');
    await service().updateActivityOptions({
      namespace,
      execution: execution(run),
      id: ACTIVITY,
      identity: 'operator',
      activityOptions: { retryPolicy: { maximumAttempts: 9 } },
      updateMask: { paths: ['retry_policy.maximum_attempts'] },
    });
    await eventually('a question', async () => (await run.state())?.questions[0]);
    land('paid');
    expect(repliesOf((await run.result()).text)).toEqual([{ status: 'ok', data: 'paid' }]);
    expect(arrivals()).toBe(1);
  });

  test('completed by an operator with a result of his own', async () => {
    const { run, arrivals, land } = await inTheMiddle();
    await rig.temporal.activity.complete({ workflowId: run.id, activityId: ACTIVITY }, 'a lie');
    await eventually('the run to ask the ledger', async () =>
      (await run.state())?.calls.some(({ state }) => state === 'sleeping'),
    );
    land('paid');
    await endsWell(run);
    expect(arrivals()).toBe(1);
  });

  test('failed by an operator', async () => {
    const { run, arrivals, land } = await inTheMiddle();
    await rig.temporal.activity.fail({ workflowId: run.id, activityId: ACTIVITY }, new Error('said the operator'));
    await eventually('the run to ask the ledger', async () =>
      (await run.state())?.calls.some(({ state }) => state === 'sleeping'),
    );
    land('paid');
    await endsWell(run);
    expect(arrivals()).toBe(1);
  });

  test('the workflow reset to before the call', async () => {
    const { run, arrivals, land } = await inTheMiddle();
    const handle = rig.temporal.workflow.getHandle(run.id);
    const { events } = await handle.fetchHistory();
    const completed = (events ?? []).filter((event) => event.workflowTaskCompletedEventAttributes);
    const before = completed.at(1)?.eventId;
    const { runId } = await handle.describe();
    await service().resetWorkflowExecution({
      namespace,
      workflowExecution: { workflowId: run.id, runId },
      workflowTaskFinishEventId: before,
      requestId: crypto.randomUUID(),
      reason: 'test',
    });
    await eventually('the call to wait for its own claim', async () =>
      (await run.state())?.calls.some(({ state }) => state === 'sleeping'),
    );
    land('paid');
    await endsWell(run);
    expect(arrivals()).toBe(1);
  });
});

describe('a reset after the call', () => {
  test('finds the recorded result and sends nothing', async () => {
    const { run, arrivals, land } = await inTheMiddle();
    land('paid');
    await run.result();
    const handle = rig.temporal.workflow.getHandle(run.id);
    const { events } = await handle.fetchHistory();
    const scheduled = (events ?? []).find(
      (event) => event.activityTaskScheduledEventAttributes?.activityId === ACTIVITY,
    );
    const before = scheduled?.activityTaskScheduledEventAttributes?.workflowTaskCompletedEventId;
    const { runId } = await handle.describe();
    await service().resetWorkflowExecution({
      namespace,
      workflowExecution: { workflowId: run.id, runId },
      workflowTaskFinishEventId: before,
      requestId: crypto.randomUUID(),
      reason: 'test',
    });
    await endsWell(run);
    expect(arrivals()).toBe(1);
  });
});
