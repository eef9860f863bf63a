import { afterEach, describe, expect, test } from '@jest/globals';
import { ApplicationFailure } from '@temporalio/common';
import { z } from 'zod';
import { LedgerUnavailable, type Ledger, type LedgerEntry } from '../../src/contracts/ledger.ts';
import { defineTool } from '../../src/policy/define-tool.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';
import { eventually } from '../support/eventually.ts';
import { openRig, type Rig } from '../support/rig.ts';
import { askThenTell, repliesOf } from '../support/rules.ts';

let rig: Rig;
afterEach(() => rig.close());

const ONE_CALL = [{ tool: 'pay', input: { order: 'A' } }];

function payTool(execute: () => Promise<unknown> = () => Promise.resolve('paid')) {
  const arrivals: number[] = [];
  const pay = defineTool({
    name: 'pay',
    description: 'Pays.',
    input: z.object({ order: z.string() }),
    timeout: '2s',
    landsWithin: '1s',
    intent: ({ order }) => `pay:${order}`,
    execute: () => {
      arrivals.push(Date.now());
      return execute();
    },
  });
  return { pay, arrivals };
}

/** A ledger that is told of every append before it happens, and may wait or fail then. */
const beforeAppend =
  (hook: (entries: readonly LedgerEntry[]) => Promise<void>) =>
  (ledger: Ledger): Ledger => ({
    ...ledger,
    async decide(key, decide) {
      const { append } = decide(await ledger.read({ key }));
      await hook(append);
      return ledger.decide(key, decide);
    },
  });

describe('a worker that stalls before its claim', () => {
  test('until the run has given the schedule up: its claim is refused and nothing arrives by it', async () => {
    let release: () => void = () => undefined;
    const stalled = new Promise<void>((resolve) => (release = resolve));
    let claims = 0;
    const { pay, arrivals } = payTool();
    rig = await openRig(
      { model: scriptedModel(askThenTell(ONE_CALL)), tools: [pay] },
      {
        wrapLedger: beforeAppend(async (entries) => {
          if (entries.some(({ is }) => is === 'claimed') && ++claims === 1) await stalled;
        }),
      },
    );
    const run = await rig.client.start({ agent: 'tester', input: 'go' });
    await eventually('the stalled claim', () => claims === 1);
    await rig.temporal.activity.fail(
      { workflowId: run.id, activityId: 't1c0s1' },
      ApplicationFailure.nonRetryable('given up'),
    );
    const result = await run.result();
    release();
    expect(repliesOf(result.text)).toEqual([{ status: 'ok', data: 'paid' }]);
    await eventually('the stalled worker to be done', async () => (await rig.records(run.id)).length === 3);
    expect((await rig.records(run.id)).map(({ is }) => is)).toEqual(['withdrawn', 'claimed', 'done']);
    expect(arrivals).toHaveLength(1);
  });
});

describe('a ledger that is away', () => {
  test('at the claim: nothing is sent, and the call goes on when it is back', async () => {
    let refusals = 2;
    const { pay, arrivals } = payTool();
    rig = await openRig(
      { model: scriptedModel(askThenTell(ONE_CALL)), tools: [pay] },
      {
        wrapLedger: beforeAppend(async (entries) => {
          if (!entries.some(({ is }) => is === 'claimed') || refusals-- <= 0) return;
          expect(arrivals).toHaveLength(0);
          throw new LedgerUnavailable('locked');
        }),
      },
    );
    const run = await rig.client.start({ agent: 'tester', input: 'go' });
    expect(repliesOf((await run.result()).text)).toEqual([{ status: 'ok', data: 'paid' }]);
    expect(arrivals).toHaveLength(1);
  });

  test('at the record of a success: the call is done, and the record is written before anything else', async () => {
    let isAway = true;
    const { pay, arrivals } = payTool();
    rig = await openRig(
      { model: scriptedModel(askThenTell(ONE_CALL, ONE_CALL)), tools: [pay] },
      {
        wrapLedger: beforeAppend(async (entries) => {
          if (isAway && entries.some(({ is }) => is === 'done')) throw new LedgerUnavailable('locked');
        }),
      },
    );
    const run = await rig.client.start({ agent: 'tester', input: 'go' });
    await eventually('the repeated record', async () => {
      const { raw } = await rig.temporal.workflow.getHandle(run.id).describe();
      return raw.pendingActivities?.some(({ activityType }) => activityType?.name === 'repeatRecord');
    });
    expect((await run.state())?.turn).toBe(1);
    isAway = false;
    expect(repliesOf((await run.result()).text).map(({ data }) => data)).toEqual(['paid', 'paid']);
    expect(arrivals).toHaveLength(1);
  });

  test('a refusal whose record could not be written makes no question', async () => {
    let isAway = true;
    let tries = 0;
    const { pay, arrivals } = payTool(() => {
      const refusal = new Error('busy');
      refusal.name = 'NotExecuted';
      return ++tries === 1 ? Promise.reject(refusal) : Promise.resolve('paid');
    });
    rig = await openRig(
      { model: scriptedModel(askThenTell(ONE_CALL)), tools: [pay] },
      {
        wrapLedger: beforeAppend(async (entries) => {
          if (isAway && entries.some(({ is }) => is === 'not-executed')) throw new LedgerUnavailable('locked');
        }),
      },
    );
    const run = await rig.client.start({ agent: 'tester', input: 'go' });
    await eventually('the repeated record', async () => {
      const { raw } = await rig.temporal.workflow.getHandle(run.id).describe();
      return raw.pendingActivities?.some(({ activityType }) => activityType?.name === 'repeatRecord');
    });
    isAway = false;
    expect(repliesOf((await run.result()).text)).toEqual([{ status: 'ok', data: 'paid' }]);
    expect(arrivals).toHaveLength(2);
    expect((await rig.records(run.id)).map(({ is }) => is)).toEqual(['claimed', 'not-executed', 'claimed', 'done']);
  });

  test('that is another one: nothing is sent, and the run says both ids', async () => {
    let isForeign = false;
    const { pay, arrivals } = payTool();
    rig = await openRig(
      {
        model: scriptedModel((c) => {
          isForeign = true;
          return askThenTell(ONE_CALL)(c);
        }),
        tools: [pay],
      },
      {
        wrapLedger: (ledger) => ({ ...ledger, id: async () => (isForeign ? 'another-ledger' : ledger.id()) }),
      },
    );
    const run = await rig.client.start({ agent: 'tester', input: 'go' });
    const own = await rig.ledger.id();
    const why = await eventually('the reason', async () => {
      const call = (await run.state())?.calls.find(({ name }) => name === 'pay');
      return call?.state === 'sleeping' && call.why;
    });
    expect(why).toContain(own);
    expect(why).toContain('another-ledger');
    expect(arrivals).toHaveLength(0);
    isForeign = false;
    await run.stop('now');
    await run.result();
  });
});
