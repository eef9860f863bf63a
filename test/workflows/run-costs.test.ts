import { afterEach, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import type { RunHandle } from '../../src/client/run-handle.ts';
import type { Money } from '../../src/contracts/bill.ts';
import type { EventStore } from '../../src/contracts/event-store.ts';
import type { RunCost } from '../../src/contracts/cost.ts';
import { defineTool } from '../../src/policy/define-tool.ts';
import type { RouterFault } from '../faults/router-peer.ts';
import { openRouterRig, type RouterRig } from '../faults/router-rig.ts';
import { eventually } from '../support/eventually.ts';

let rig: RouterRig | undefined;
afterEach(async () => {
  await rig?.close();
  rig = undefined;
});

const cutFirst = (request: number): RouterFault | undefined => (request === 1 ? { cutAfter: 1 } : undefined);

/** A tool that ends when it is told to; the model calls it in each of its first turns, and then has its answer. */
function gate(turns = 1) {
  const gates = Array.from({ length: turns }, () => {
    return { begun: Promise.withResolvers<true>(), opened: Promise.withResolvers<string>() };
  });
  let calls = 0;
  const tool = defineTool({
    name: 'wait',
    description: 'Waits.',
    input: z.object({ turn: z.number() }),
    readOnly: true,
    timeout: '60s',
    async execute() {
      const own = gates[calls++];
      own?.begun.resolve(true);
      return own?.opened.promise;
    },
  });
  return {
    tool,
    decide: ({ turn }: { readonly turn: number }) =>
      turn < turns ? { calls: [{ tool: 'wait', input: { turn } }] } : { text: 'done' },
    begun: (turn = 0) => gates[turn]?.begun.promise,
    open: (turn = 0) => gates[turn]?.opened.resolve('ok'),
  };
}

const moneyIn = ({ spend, answer }: RunCost) => {
  const of = ({ micros, estimatedMicros, requests, estimated, unknown }: Money): Money => {
    return { micros, estimatedMicros, requests, estimated, unknown };
  };
  return [of(spend), of(answer)];
};

const moneyOf = async (run: RunHandle) => {
  const state = await run.state();
  return [state?.spend.cost, state?.answerCost];
};

async function micros(run: RunHandle): Promise<unknown> {
  const { typedSearchAttributes } = await rig!.temporal.workflow.getHandle(run.id).describe();
  return typedSearchAttributes.getAll().find(({ key }) => key.name === 'HoldfastSpendMicros')?.value;
}

/** Makes a history long without doing anything. */
async function makeLong(run: string): Promise<void> {
  const handle = rig!.temporal.workflow.getHandle(run);
  for (let batch = 0; batch < 30; batch++) {
    await Promise.all(Array.from({ length: 70 }, () => handle.signal('lateOutcome', { call: 't99c0', claim: 'none' })));
  }
}

const executionOf = async (run: string): Promise<string> =>
  (await rig!.temporal.workflow.getHandle(run).describe()).runId;

describe('what a run has spent', () => {
  test('can be read while it goes on, is corrected when the provider says more, and is what the report says', async () => {
    const { tool, decide, begun, open } = gate();
    rig = await openRouterRig({ tools: [tool] });
    const { run, owed } = await rig.play({ decide, script: cutFirst });
    await begun();
    const [spent] = await moneyOf(run);
    expect(spent).toMatchObject({ requests: 2, unknown: 1 });
    expect(spent?.micros).toBeLessThan(owed());
    await eventually('the correction', async () => (await moneyOf(run))[0]?.unknown === 0);
    expect(await moneyOf(run)).toEqual(moneyIn(await rig.cost(run)));
    expect((await moneyOf(run))[0]?.micros).toBe(owed());
    await eventually('the search attribute', async () => (await micros(run)) === owed());
    open();
    const { spend, answerCost } = await run.result();
    expect([spend.cost, answerCost]).toEqual(moneyIn(await rig.cost(run)));
    expect([spend.cost?.micros, await micros(run)]).toEqual([owed(), owed()]);
    const ended = (await run.events()).findLast((event) => event.type === 'run-ended');
    expect(ended?.result).toEqual(await run.result());
  });

  test('goes with it when it is continued as new, and so do corrections', async () => {
    const { tool, decide, begun, open } = gate(2);
    let isThere = false;
    rig = await openRouterRig({ tools: [tool] }, { isThere: () => isThere });
    const { run, owed } = await rig.play({ decide, script: cutFirst });
    await begun();
    const before = await executionOf(run.id);
    await makeLong(run.id);
    open();
    await begun(1);
    expect(await executionOf(run.id)).not.toBe(before);
    expect((await moneyOf(run))[0]).toMatchObject({ requests: 3, unknown: 1 });
    isThere = true;
    await eventually('the correction', async () => (await moneyOf(run))[0]?.unknown === 0);
    expect(await moneyOf(run)).toEqual(moneyIn(await rig.cost(run)));
    expect((await moneyOf(run))[0]?.micros).toBe(owed());
    open(1);
    const { spend, answerCost } = await run.result();
    expect([spend.cost, answerCost]).toEqual(moneyIn(await rig.cost(run)));
    expect(spend.cost).toMatchObject({ micros: owed(), requests: 4 });
  });

  test('has a call that waits for its provider, as far as it has come, and is looked up when it is stopped', async () => {
    rig = await openRouterRig();
    const busy = { status: 429, headers: { 'retry-after': '100' } };
    const { run, owed } = await rig.play({ script: (request) => cutFirst(request) ?? busy });
    await eventually('the wait', async () => (await run.state())?.waitingFor.includes('provider'));
    expect((await moneyOf(run))[0]).toMatchObject({ micros: 0, requests: 2, unknown: 1 });
    await run.stop('safe');
    expect(await run.result()).toMatchObject({ status: 'stopped', spend: { cost: { requests: 2, unknown: 1 } } });
    expect((await rig.settled(run)).spend.micros).toBe(owed());
  });

  test('counts what was lost with a worker', async () => {
    rig = await openRouterRig({}, { worker: 'later' });
    const first = await rig.startProcess();
    const { run, owed, input } = await rig.play({
      decide: () => ({ text: 'word'.repeat(20) }),
      script: (request) => (request === 1 ? { hangAfter: 10 } : undefined),
    });
    await eventually('ten pieces', () => rig?.peer.bill(input)[0]?.outputTokens === 10);
    // What the provider calls its reply has come with the first of them.
    await eventually('its name', async () => (await run.events()).some(({ type }) => type === 'request-answered'));
    await first.kill();
    await rig.startProcess();
    const { spend } = await run.result();
    expect(spend.cost).toMatchObject({ requests: 2, unknown: 1 });
    const settled = await rig.settled(run);
    expect(settled.spend).toMatchObject({ micros: owed(), requests: 2 });
    expect(settled.answer.micros).toBe(rig.peer.bill(input)[1]?.micros);
  });

  test('of two calls is looked for by each, also when the run has ended, and its worker too', async () => {
    const { tool, decide, open } = gate();
    rig = await openRouterRig({ tools: [tool] }, { costPace: { waitsMs: [1_500, 100], forMs: 60_000 } });
    open();
    const { run, owed } = await rig.play({ decide, script: (request) => cutFirst(request % 2) });
    expect((await run.result()).spend.cost).toMatchObject({ requests: 4, unknown: 2 });
    await rig.stopWorkers();
    expect((await rig.cost(run)).spend.unknown).toBe(2);
    await rig.startWorker();
    expect((await rig.settled(run)).spend.micros).toBe(owed());
  });

  test('is not known where its events cannot be read, and the run goes on', async () => {
    const blind = (events: EventStore): EventStore => {
      return { ...events, read: () => Promise.reject(new Error('the disk is gone')) };
    };
    rig = await openRouterRig({}, { wrapEvents: blind });
    const { run } = await rig.play({});
    const unknown = { micros: 0, requests: 0, unknown: 1 };
    expect(await run.result()).toMatchObject({
      status: 'completed',
      text: 'done',
      spend: { inputTokens: expect.any(Number) as unknown, unmetered: 0, cost: unknown },
      answerCost: unknown,
    });
  });

  test('is what the provider said where the ends could not be written at first, and goes on record once they can', async () => {
    let isLocked = true;
    const locked = (events: EventStore): EventStore => ({
      ...events,
      append: (run, more) =>
        isLocked && more.some(({ type }) => type === 'request-ended' || type === 'attempt-ended')
          ? Promise.reject(new Error('database is locked'))
          : events.append(run, more),
    });
    rig = await openRouterRig({}, { wrapEvents: locked });
    const { run, owed } = await rig.play({});
    const { spend } = await run.result();
    expect(spend).toMatchObject({ unmetered: 0, cost: { micros: owed(), requests: 1, estimated: 0, unknown: 0 } });
    expect((await run.events()).map(({ type }) => type)).not.toContain('request-ended');
    isLocked = false;
    await eventually('the ends on record', async () => (await rig!.cost(run)).spend.unknown === 0);
    const { spend: told } = await rig.cost(run);
    expect(told).toMatchObject({
      micros: owed(),
      requests: 1,
      estimated: 0,
      inputTokens: spend.inputTokens,
      outputTokens: spend.outputTokens,
    });
  });

  test('does not fall when its events are lost', async () => {
    const { tool, decide, begun, open } = gate();
    let lost = 0;
    const forgetful = (events: EventStore): EventStore => {
      return { ...events, read: (run, after, options) => events.read(run, Math.max(after, lost), options) };
    };
    rig = await openRouterRig({ tools: [tool] }, { wrapEvents: forgetful });
    const { run, owed } = await rig.play({ decide });
    await begun();
    lost = (await run.events()).at(-1)?.offset ?? 0;
    open();
    const { spend } = await run.result();
    expect(spend.cost).toMatchObject({ micros: owed(), requests: 2, unknown: 0 });
  });
});

describe('a look-up of costs', () => {
  test('that outlived its run leaves another run alone that has its id by now', async () => {
    rig = await openRouterRig({ without: ['breaker'] }, { costPace: { waitsMs: [1_500, 100], forMs: 60_000 } });
    // Cut in all its attempts: a run without an answer may be started again under its id.
    const failed = await rig.play({ script: () => ({ cutAfter: 1 }) }, 'again');
    expect((await failed.run.result()).status).toBe('failed');
    const second = await rig.play({ script: cutFirst }, 'again');
    expect(await second.run.result()).toMatchObject({ status: 'completed', spend: { cost: { requests: 2 } } });
    expect((await rig.settled(second.run)).spend).toMatchObject({ micros: second.owed(), requests: 2 });
    await eventually('both look-ups', () => {
      const replies = rig!.peer.bill().map(({ id }) => id);
      return replies.slice(0, 6).every((id) => rig!.peer.asked(id) === 3);
    });
    expect((await rig.settled(second.run)).spend.micros).toBe(second.owed());
  });

  test('of a run with a very long id is begun all the same', async () => {
    rig = await openRouterRig();
    rig.peer.tell('started by others', { script: cutFirst });
    const { temporal, taskQueue, client, peer } = rig;
    const workflowId = 'x'.repeat(990);
    await temporal.workflow.start('agentRun', {
      ...{ workflowId, taskQueue },
      args: [{ agent: 'tester', input: 'started by others' }],
    });
    const run = client.get(workflowId);
    await run.result();
    const [cut, whole] = peer.bill();
    expect((await rig.settled(run)).spend.micros).toBe((cut?.micros ?? 0) + (whole?.micros ?? 0));
  });

  test('that cannot be begun costs the run nothing', async () => {
    rig = await openRouterRig({}, { worker: 'later' });
    const { run } = await rig.play({ script: cutFirst });
    const execution = await executionOf(run.id);
    const workflowId = `${run.id}/cost/t1/${execution.slice(-8)}`;
    const taken = await rig.temporal.workflow.start('nobody', { workflowId, taskQueue: 'nobody-polls-this' });
    await rig.startWorker();
    expect(await run.result()).toMatchObject({ status: 'completed', spend: { cost: { unknown: 1 } } });
    await taken.terminate('seen');
  });

  test('is heard only of the run that it is about, and only in words that are a bill', async () => {
    const { tool, decide, begun, open } = gate();
    rig = await openRouterRig({ tools: [tool] }, { notYet: Infinity });
    const { run } = await rig.play({ decide, script: cutFirst });
    await begun();
    const before = await moneyOf(run);
    const handle = rig.temporal.workflow.getHandle(run.id);
    const totals = { ...before[0]!, inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
    const bill = { answer: totals, spend: { ...totals, micros: 9 }, unmetered: 0, isMissing: false };
    const execution = await executionOf(run.id);
    await handle.signal('costFound', { execution: 'another', call: 't1', bill });
    await handle.signal('costFound', { execution, call: 't9', bill });
    await handle.signal('costFound', { execution, call: 't1', bill: { ...bill, spend: { micros: -1 } } });
    await handle.signal('costFound', 'free');
    await handle.signal('costFound');
    expect(await moneyOf(run)).toEqual(before);
    await handle.signal('costFound', { execution, call: 't1', bill });
    expect((await moneyOf(run))[0]).toMatchObject({ micros: 9 });
    open();
    await run.result();
  });
});
