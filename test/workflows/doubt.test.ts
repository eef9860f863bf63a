import { afterEach, describe, expect, test } from '@jest/globals';
import { ApplicationFailure } from '@temporalio/common';
import { z } from 'zod';
import type { RunHandle } from '../../src/client/run-handle.ts';
import type { ToolContext, ToolDefinition } from '../../src/contracts/tool.ts';
import { defineTool } from '../../src/policy/define-tool.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';
import type { AskedCall } from '../../src/testing/rule.ts';
import { eventually } from '../support/eventually.ts';
import { openRig, type Rig, type RigOptions } from '../support/rig.ts';
import { askThenTell, repliesOf } from '../support/rules.ts';

let rig: Rig;
afterEach(() => rig.close());

const input = z.object({ order: z.string(), pad: z.string().optional() });
const pays = (order: string, pad?: string): AskedCall => ({ tool: 'pay', input: { order, ...(pad && { pad }) } });
const by = { by: 'ann', reason: 'looked' } as const;

/** A tool that does what the test says, in a run that is under way. */
async function start(
  execute: (ran: number, ctx: ToolContext) => Promise<unknown>,
  options: Partial<ToolDefinition<typeof input>> = {},
  {
    turns = [[pays('A')]],
    rigOptions = {},
    deadline,
  }: { turns?: AskedCall[][]; rigOptions?: RigOptions; deadline?: '2s' } = {},
) {
  const seen = { ran: 0 };
  const pay = defineTool({
    name: 'pay',
    description: 'Pays.',
    input,
    timeout: '20s',
    landsWithin: '60s',
    intent: ({ order }) => `pay:${order}`,
    execute: (_, ctx) => execute(++seen.ran, ctx),
    ...options,
  });
  rig = await openRig({ model: scriptedModel(askThenTell(...turns)), tools: [pay] }, { grace: '1s', ...rigOptions });
  const run = await rig.client.start({ agent: 'tester', input: 'go', ...(deadline && { limits: { deadline } }) });
  return { run, seen };
}

const fails = () => Promise.reject(new Error('connection reset'));
const never = () => new Promise(() => undefined);
const questionOf = (run: RunHandle) => eventually('a question', async () => (await run.state())?.questions[0]);
const given = (run: RunHandle, activityId: string) =>
  rig.temporal.activity.fail({ workflowId: run.id, activityId }, ApplicationFailure.nonRetryable('by the operator'));

describe('a question is about one attempt of one action', () => {
  test('taken up again after "did not happen" it is another question, which the old decision does not answer', async () => {
    const { run, seen } = await start(fails, {}, { turns: [[pays('A')], [pays('A')]] });
    const first = await questionOf(run);
    await run.resolveOutcome({ question: first.id, verdict: 'did-not-happen', override: true, ...by });
    const second = await eventually('the second question', async () =>
      (await run.state())?.questions.find(({ id }) => id !== first.id),
    );
    expect(
      await run.resolveOutcome({ question: first.id, verdict: 'did-not-happen', override: true, ...by }),
    ).not.toMatchObject({ is: 'applied', to: 'ledger' });
    expect((await run.state())?.questions.map(({ id }) => id)).toEqual([second.id]);
    expect(await run.resolveOutcome({ question: second.id, verdict: 'happened', result: 're_2', ...by })).toMatchObject(
      { is: 'applied' },
    );
    expect(repliesOf((await run.result()).text).map(({ status, data }) => [status, data])).toEqual([
      ['failed', undefined],
      ['ok', 're_2'],
    ]);
    expect(seen.ran).toBe(2);
    const settled = (await rig.records(run.id)).filter(({ is }) => is === 'settled');
    expect(settled.map(({ generation }) => generation)).toEqual([1, 2]);
  });

  test('a second, different result is refused; the same one again is fine', async () => {
    const { run } = await start(fails, {}, { turns: [[pays('A'), pays('B')]] });
    const { id } = await questionOf(run);
    const happened = (result: string) => run.resolveOutcome({ question: id, verdict: 'happened', result, ...by });
    const [a, b] = await Promise.all([happened('re_A'), happened('re_B')]);
    expect([a, b].map(({ is }) => is).sort()).toEqual(['applied', 'refused']);
  });

  test('a decision put right after a refusal may come again under its id', async () => {
    const { run } = await start(fails, {}, { rigOptions: { worker: 'later' } });
    const { questionId } = await import('../../src/policy/stable-id.ts');
    const question = questionId({ namespace: 'default', scope: `task:${run.id}`, intent: 'pay:A' }, 1);
    const handle = rig.temporal.workflow.getHandle(run.id);
    await handle.signal('resolveOutcome', { id: 'd', question, verdict: 'did-not-happen', ...by });
    await rig.startWorker();
    await eventually('the refusal', async () => (await run.state())?.refused.length === 1);
    expect(
      await run.resolveOutcome({ id: 'd', question, verdict: 'did-not-happen', override: true, ...by }),
    ).toMatchObject({ is: 'applied' });
    expect(repliesOf((await run.result()).text)).toMatchObject([{ status: 'failed' }]);
  });

  test('a mistyped question and an override in quotes are shown and refused', async () => {
    const { run } = await start(fails);
    const { id } = await questionOf(run);
    const handle = rig.temporal.workflow.getHandle(run.id);
    await handle.signal('resolveOutcome', { id: 'x', question: 'qmistyped', verdict: 'reversed', ...by });
    await handle.signal('resolveOutcome', {
      id: 'y',
      question: id,
      verdict: 'did-not-happen',
      override: 'false',
      ...by,
    });
    const view = await eventually('both', async () => {
      const now = await run.state();
      return now?.refused.length === 1 && now.awaited.length === 1 && now;
    });
    expect(view.awaited).toEqual(['qmistyped']);
    expect(view.refused[0]?.why).toContain('without quotes');
  });
});

describe('what may have acted is never called undone', () => {
  test('stopped while its own claim is open and its worker is lost: a question is left open', async () => {
    const { run } = await start(never);
    await eventually('the call', async () => (await rig.records(run.id)).some(({ is }) => is === 'claimed'));
    await given(run, 't1c0s1');
    await eventually('the run to wait for the claim', async () =>
      (await run.state())?.calls.some(({ state }) => state === 'sleeping'),
    );
    await run.stop('now');
    expect(await run.result()).toMatchObject({ status: 'stopped', open: [{ tool: 'pay' }] });
  });

  test('by key, its only attempt lost: it asks, instead of trying for ever', async () => {
    const { run, seen } = await start(never, { idempotent: 'by-key', maxAttempts: 1 });
    await eventually('the body', () => seen.ran === 1);
    await given(run, 't1c0s1');
    expect((await questionOf(run)).tool).toBe('pay');
    expect(seen.ran).toBe(1);
  });

  test('a worker without the tool says what the ledger lets it say', async () => {
    const { run, seen } = await start(
      never,
      { idempotent: 'by-key', timeout: '1s' },
      { rigOptions: { worker: 'later', grace: '1s' } },
    );
    const worker = await rig.startWorker();
    await eventually('the body', () => seen.ran === 1);
    await worker.stop();
    await rig.startWorker({ model: scriptedModel(askThenTell([pays('A')])), tools: [] });
    expect((await questionOf(run)).tool).toBe('pay');
  });

  test('an abort ends the run, its siblings too, and leaves their questions open', async () => {
    const { run } = await start(fails, {}, { turns: [[pays('A'), pays('A'), pays('B')], [pays('C')]] });
    const { id } = await questionOf(run);
    await run.resolveOutcome({ question: id, verdict: 'abort', ...by });
    const result = await run.result();
    expect(result).toMatchObject({ status: 'stopped', text: expect.stringContaining('ann') });
    expect(new Set(result.open.map(({ key }) => key.intent))).toEqual(new Set(['pay:A', 'pay:B']));
  });
});

test('a late success that contradicts a decision is recorded beside it and raised', async () => {
  let land: (value: unknown) => void = () => undefined;
  const { run } = await start(() => new Promise((resolve) => (land = resolve)), { timeout: '1s' });
  const { id } = await questionOf(run);
  await run.resolveOutcome({ question: id, verdict: 'did-not-happen', override: true, ...by });
  await run.result();
  land('paid');
  const late = await eventually('the news', async () => {
    const records = await rig.records(run.id);
    return (
      records.some(({ is }) => is === 'done') &&
      run.events().then((all) => all.find(({ type }) => type === 'late-outcome'))
    );
  });
  expect(late).toMatchObject({ is: 'done', contradicts: expect.stringContaining('ann decided "did-not-happen"') });
});

describe('a body begins only inside its time', () => {
  test('a claim that came back late is given back, and the next attempt acts', async () => {
    let isSlow = true;
    const { run, seen } = await start(
      () => Promise.resolve('paid'),
      { timeout: '1s' },
      {
        rigOptions: {
          wrapLedger: (ledger) => ({
            ...ledger,
            async decide(key, decide) {
              const decided = await ledger.decide(key, decide);
              const isClaim = decided.written.some(({ is }) => is === 'claimed');
              if (isClaim && isSlow) await new Promise((resolve) => setTimeout(resolve, 1_200));
              if (isClaim) isSlow = false;
              return decided;
            },
          }),
        },
      },
    );
    expect(repliesOf((await run.result()).text)).toMatchObject([{ status: 'ok', data: 'paid' }]);
    expect(seen.ran).toBe(1);
    expect((await rig.records(run.id)).map(({ is }) => is)).toEqual(['claimed', 'not-executed', 'claimed', 'done']);
  });

  test('arguments that cannot be read for a while make no question', async () => {
    let isAway = true;
    const { run, seen } = await start(
      () => Promise.resolve('paid'),
      {},
      {
        turns: [[pays('A', 'y'.repeat(100_000))]],
        rigOptions: {
          wrapTranscripts: (transcripts) => ({
            ...transcripts,
            get: (ref) => (isAway ? ((isAway = false), Promise.reject(new Error('disk gone'))) : transcripts.get(ref)),
          }),
        },
      },
    );
    expect(repliesOf((await run.result()).text)).toMatchObject([{ status: 'ok', data: 'paid' }]);
    expect(seen.ran).toBe(1);
    expect((await rig.records(run.id)).map(({ is }) => is)).not.toContain('unknown');
  });
});

describe('what an operator ends by hand is asked again', () => {
  test('the activity that gives a decision its place', async () => {
    let isAway = true;
    const { run } = await start(
      fails,
      {},
      {
        rigOptions: {
          wrapLedger: (ledger) => ({
            ...ledger,
            decide: async (key, decide) => {
              const isSettling = decide(await ledger.read({ key })).append.some(({ is }) => is === 'settled');
              while (isSettling && isAway) await new Promise((resolve) => setTimeout(resolve, 50));
              return ledger.decide(key, decide);
            },
          }),
        },
      },
    );
    const { id } = await questionOf(run);
    await run.resolveOutcome({ question: id, verdict: 'happened', result: 're_1', ...by });
    const pending = await eventually('the activity', async () => {
      const { raw } = await rig.temporal.workflow.getHandle(run.id).describe();
      return raw.pendingActivities?.find(({ activityType }) => activityType?.name === 'settleOutcome')?.activityId;
    });
    await given(run, pending ?? '');
    isAway = false;
    expect(repliesOf((await run.result()).text)).toMatchObject([{ status: 'ok', data: 're_1' }]);
  });

  test('a model call', async () => {
    rig = await openRig({ model: scriptedModel(() => ({ text: 'hi' }), { delayMs: 1_500 }), tools: [] });
    const run = await rig.client.start({ agent: 'tester', input: 'go' });
    await eventually('the model call', async () => (await run.state())?.turn === 1);
    await given(run, 't1');
    expect(await run.result()).toMatchObject({ status: 'completed', text: 'hi' });
  });

  test('a reading call ends as unavailable, and is not tried for ever', async () => {
    const { run, seen } = await start(never, { readOnly: true, intent: undefined, landsWithin: undefined });
    await eventually('the body', () => seen.ran === 1);
    await given(run, 't1c0s1');
    expect(repliesOf((await run.result()).text)).toMatchObject([{ status: 'unavailable', retryable: true }]);
  });
});

describe('times and tools that do not fit', () => {
  test('a peer that is never reached is given up when the call’s time is over', async () => {
    const notYet = () => Promise.reject(Object.assign(new Error('not yet'), { name: 'NotExecuted' }));
    const { run } = await start(notYet, { totalTimeout: '3s', timeout: '1s' });
    expect(repliesOf((await run.result()).text)).toMatchObject([
      { status: 'unavailable', message: expect.stringContaining('Nothing was changed') },
    ]);
    expect((await rig.records(run.id)).map(({ is }) => is)).not.toContain('unknown');
  });

  test('waiting for people does not count against the deadline', async () => {
    const { run } = await start(fails, {}, { deadline: '2s' });
    const { id, since } = await questionOf(run);
    await eventually('the deadline to have passed', () => Date.now() - since > 2_500);
    await run.resolveOutcome({ question: id, verdict: 'happened', result: null, ...by });
    expect(await run.result()).toMatchObject({ status: 'completed' });
  });

  test.each<[string, () => unknown, string]>([
    ['a scope nobody knows', () => ({ key: 'x', scope: 'planet' }), 'scope "planet"'],
    ['a number', () => 42, 'gave no text'],
    ['null', () => null, 'gave no text'],
    ['a promise', () => Promise.resolve('x'), 'gave no text'],
    [
      'an error',
      () => {
        throw new Error('bug');
      },
      'bug',
    ],
  ])('an intent that gives %s is told, and nothing is claimed', async (_, intent, said) => {
    const { run, seen } = await start(() => Promise.resolve(1), { intent: intent as () => string });
    expect(repliesOf((await run.result()).text)).toMatchObject([
      { status: 'failed', message: expect.stringContaining(said) },
    ]);
    expect(seen.ran).toBe(0);
  });

  test('an answered run with an open outcome is continued as new, and closes when it is settled', async () => {
    const { run } = await start(fails, { onUnknown: 'tell-model' });
    const { id } = await questionOf(run);
    await eventually('the answer', async () => (await run.state())?.status === 'answered');
    const handle = rig.temporal.workflow.getHandle(run.id);
    const first = (await handle.describe()).runId;
    for (let batch = 0; batch < 30; batch++) {
      await Promise.all(
        Array.from({ length: 70 }, () => handle.signal('lateOutcome', { call: 't99c0', claim: 'none' })),
      );
    }
    await eventually('the next execution', async () => (await handle.describe()).runId !== first);
    expect(await eventually('the answer', async () => (await run.state())?.answer)).toContain('pending');
    await run.resolveOutcome({ question: id, verdict: 'happened', result: null, ...by });
    expect(await run.result()).toMatchObject({ status: 'completed', open: [] });
  });
});
