import { afterEach, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import type { ToolDefinition } from '../../src/contracts/tool.ts';
import { defineTool } from '../../src/policy/define-tool.ts';
import type { RunHandle } from '../../src/client/run-handle.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';
import type { AskedCall } from '../../src/testing/rule.ts';
import { eventually } from '../support/eventually.ts';
import { approvalOf, outcomeOf } from '../support/questions.ts';
import { openRig, type Rig, type TestAgent } from '../support/rig.ts';
import { askThenTell, repliesOf } from '../support/rules.ts';

let rig: Rig;
afterEach(() => rig.close());

const input = z.object({ order: z.string(), amount: z.number().optional() });
const pays = (order: string, amount?: number): AskedCall => ({
  tool: 'pay',
  input: { order, ...(amount && { amount }) },
});

/** A tool whose first bodies lose their answer; the later ones succeed. */
function payTool(loses: number, options: Partial<ToolDefinition<typeof input>> = {}) {
  const seen: { key: string; input: unknown }[] = [];
  const pay = defineTool({
    name: 'pay',
    description: 'Pays.',
    input,
    timeout: '1s',
    landsWithin: '1ms',
    intent: ({ order }) => `pay:${order}`,
    execute: (given, ctx) => {
      seen.push({ key: ctx.idempotencyKey, input: given });
      return seen.length <= loses
        ? Promise.reject(new Error('connection reset'))
        : Promise.resolve({ paid: given.amount ?? 1 });
    },
    ...options,
  });
  return { pay, seen };
}

const open = (agent: TestAgent) => openRig(agent);
const questionOf = (run: RunHandle) => eventually('a question', async () => (await run.state())?.questions[0]);
/** The question, once "did not happen" counts: the effect can no longer land. */
const pastHorizon = (run: RunHandle) =>
  eventually('the horizon', async () => {
    const question = await outcomeOf(run);
    return Date.now() > question.horizon && question;
  });
const by = { by: 'ann', reason: 'looked' } as const;

describe('what follows from a decision', () => {
  test('did-not-happen sends nothing by itself; the same intent then passes once, as a new generation', async () => {
    const { pay, seen } = payTool(1);
    rig = await open({ model: scriptedModel(askThenTell([pays('A')], [pays('A')], [pays('A')])), tools: [pay] });
    const run = await rig.client.start({ agent: 'tester', input: 'go' });
    const { id } = await pastHorizon(run);
    await run.resolveOutcome({ question: id, verdict: 'did-not-happen', ...by });
    const replies = repliesOf((await run.result()).text);
    expect(replies.map(({ status }) => status)).toEqual(['failed', 'ok', 'ok']);
    expect(seen).toHaveLength(2);
    expect(seen[0]?.key).not.toBe(seen[1]?.key);
  });

  test('then: retry orders another attempt, with a new key', async () => {
    const { pay, seen } = payTool(1);
    rig = await open({ model: scriptedModel(askThenTell([pays('A')])), tools: [pay] });
    const run = await rig.client.start({ agent: 'tester', input: 'go' });
    const { id } = await pastHorizon(run);
    await run.resolveOutcome({ question: id, verdict: 'did-not-happen', then: 'retry', ...by });
    expect(repliesOf((await run.result()).text)).toEqual([{ status: 'ok', data: { paid: 1 } }]);
    expect(seen).toHaveLength(2);
    expect(seen[0]?.key).not.toBe(seen[1]?.key);
  });

  test('reversed closes the intent for good', async () => {
    const { pay, seen } = payTool(1);
    rig = await open({ model: scriptedModel(askThenTell([pays('A')], [pays('A')])), tools: [pay] });
    const run = await rig.client.start({ agent: 'tester', input: 'go' });
    const { id } = await questionOf(run);
    await run.resolveOutcome({ question: id, verdict: 'reversed', ...by });
    expect(repliesOf((await run.result()).text).map(({ status }) => status)).toEqual(['failed', 'blocked']);
    expect(seen).toHaveLength(1);
  });

  test('abort ends the run with an honest report; the effect stays in the inbox and can be settled without the run', async () => {
    const { pay } = payTool(1);
    rig = await open({ model: scriptedModel(askThenTell([pays('A')])), tools: [pay] });
    const run = await rig.client.start({ agent: 'tester', input: 'go' });
    const { id } = await questionOf(run);
    await run.resolveOutcome({ question: id, verdict: 'abort', ...by });
    const result = await run.result();
    expect(result).toMatchObject({ status: 'stopped', text: expect.stringContaining('ann'), open: [{ id }] });
    const inboxOf = async () => (await rig.client.inbox()).filter(({ question }) => question.run === run.id);
    expect((await inboxOf()).map(({ question, from }) => [question.id, from])).toEqual([[id, 'ledger']]);
    const settled = await run.resolveOutcome({ question: id, verdict: 'happened', result: null, ...by });
    expect(settled).toMatchObject({ is: 'applied', to: 'ledger' });
    expect(await inboxOf()).toEqual([]);
  });
});

describe('decisions', () => {
  test('a signal works as an update does, and a refused one shows what stands', async () => {
    const { pay } = payTool(2);
    rig = await open({ model: scriptedModel(askThenTell([pays('A'), pays('B')])), tools: [pay] });
    const run = await rig.client.start({ agent: 'tester', input: 'go' });
    const [a, b] = await eventually('two questions', async () => {
      const questions = (await run.state())?.questions ?? [];
      return questions.length === 2 && questions;
    });
    const handle = rig.temporal.workflow.getHandle(run.id);
    await handle.signal('resolveOutcome', { id: 'd1', question: a?.id, verdict: 'happened', result: 'x', ...by });
    await handle.signal('resolveOutcome', { id: 'd2', question: a?.id, verdict: 'reversed', ...by });
    await handle.signal('resolveOutcome', { id: 'd3', question: b?.id, verdict: '', ...by });
    await handle.signal('resolveOutcome', 'nonsense');
    await handle.signal('resolveOutcome');
    const view = await eventually('the refusals', async () => {
      const now = await run.state();
      return now && now.refused.length >= 2 && now.questions.length === 1 && now;
    });
    expect(view.refused.map(({ why }) => why).join('\n')).toContain('Already settled: ann decided "happened"');
    expect(await run.resolveOutcome({ question: a?.id ?? '', verdict: 'happened', result: 'x', ...by })).toMatchObject({
      is: 'refused',
    });
    await handle.signal('resolveOutcome', { id: 'd3', question: b?.id, verdict: 'happened', result: 'y', ...by });
    expect(repliesOf((await run.result()).text).map(({ data }) => data)).toEqual(['x', 'y']);
  });

  test('one that comes before its question is kept for it', async () => {
    const { pay } = payTool(1);
    rig = await openRig({ model: scriptedModel(askThenTell([pays('A')])), tools: [pay] }, { worker: 'later' });
    const run = await rig.client.start({ agent: 'tester', input: 'go', runId: `early-${Date.now()}` });
    const { questionId } = await import('../../src/policy/stable-id.ts');
    const question = questionId({ namespace: 'default', scope: `task:${run.id}`, intent: 'pay:A' }, 1);
    await rig.temporal.workflow
      .getHandle(run.id)
      .signal('resolveOutcome', { id: 'd1', question, verdict: 'happened', result: 'x', ...by });
    await rig.startWorker();
    expect(repliesOf((await run.result()).text).map(({ data }) => data)).toEqual(['x']);
  });
});

describe('onUnknown: tell-model', () => {
  test('the model goes on; the same intent waits for the news and gets the recorded result; nothing is sent twice', async () => {
    let land: (value: unknown) => void = () => undefined;
    const { pay, seen } = payTool(0, {
      timeout: '1s',
      onUnknown: 'tell-model',
      execute: (given, ctx) => {
        seen.push({ key: ctx.idempotencyKey, input: given });
        return new Promise((resolve) => (land = resolve));
      },
    });
    rig = await open({
      model: scriptedModel(askThenTell([pays('A', 49)], [pays('A', 54.95), pays('B', 1)])),
      tools: [pay],
    });
    const run = await rig.client.start({ agent: 'tester', input: 'go' });
    await eventually('the second turn', async () => (await run.state())?.turn === 2);
    // Another action of the tool, while one of its outcomes is unknown, is somebody's to allow.
    const { id, because } = await approvalOf(run);
    expect(because.join()).toContain('pay:A');
    expect(await run.decideApproval({ question: id, verdict: 'deny', ...by })).toMatchObject({ is: 'applied' });
    land({ paid: 49 });
    const replies = repliesOf((await run.result()).text);
    expect(replies.map(({ status }) => status)).toEqual(['pending', 'ok', 'blocked']);
    expect(replies[1]).toMatchObject({ data: { paid: 49 }, message: expect.stringContaining('NOT applied') });
    expect(seen).toHaveLength(1);
  });

  test('an answer with an open outcome is readable, and the run stays open until it is settled', async () => {
    const { pay } = payTool(1, { onUnknown: 'tell-model' });
    rig = await open({ model: scriptedModel(askThenTell([pays('A')])), tools: [pay] });
    const run = await rig.client.start({ agent: 'tester', input: 'go' });
    const view = await eventually('the answer', async () => {
      const now = await run.state();
      return now?.status === 'answered' && now;
    });
    expect(view.answer).toContain('pending');
    await run.resolveOutcome({ question: view.questions[0]?.id ?? '', verdict: 'happened', result: null, ...by });
    expect(await run.result()).toMatchObject({ status: 'completed', open: [] });
  });
});

describe('two runs, one intent', () => {
  test('one waits for the other and takes its outcome; the receiver hears once', async () => {
    const { pay, seen } = payTool(0, {
      intent: ({ order }) => ({ key: `pay:${order}`, scope: 'global' }),
      execute: async (given, ctx) => {
        seen.push({ key: ctx.idempotencyKey, input: given });
        await new Promise((resolve) => setTimeout(resolve, 700));
        return { paid: 1 };
      },
    });
    rig = await open({ model: scriptedModel(askThenTell([pays(`A-${Date.now()}`)])), tools: [pay] });
    const runs = await Promise.all([1, 2].map(() => rig.client.start({ agent: 'tester', input: 'go' })));
    const replies = await Promise.all(runs.map(async (run) => repliesOf((await run.result()).text)[0]));
    expect(replies.map((reply) => reply?.data)).toEqual([{ paid: 1 }, { paid: 1 }]);
    expect(seen).toHaveLength(1);
  });
});

describe('telling others', () => {
  test('escalateTo hears outcomeUnknown; nobody there is no failure', async () => {
    const { pay } = payTool(1);
    rig = await open({ model: scriptedModel(askThenTell([pays('A')])), tools: [pay], escalateTo: 'nobody-there' });
    const run = await rig.client.start({ agent: 'tester', input: 'go' });
    const { id } = await questionOf(run);
    await run.resolveOutcome({ question: id, verdict: 'happened', result: null, ...by });
    expect(await run.result()).toMatchObject({ status: 'completed' });
  });
});

describe('stopping', () => {
  test('now: a call in flight is asked to end, and what may have acted is left open and said', async () => {
    const { pay } = payTool(0, { timeout: '30s', execute: () => new Promise(() => undefined) });
    rig = await openRig({ model: scriptedModel(askThenTell([pays('A')])), tools: [pay] }, { grace: '1s' });
    const run = await rig.client.start({ agent: 'tester', input: 'go' });
    await eventually('the call', async () => (await run.state())?.calls.some(({ name }) => name === 'pay'));
    await run.stop('now', 'enough');
    expect(await run.result()).toMatchObject({ status: 'stopped', text: 'Stopped: enough', open: [{ tool: 'pay' }] });
    expect((await rig.client.inbox()).filter(({ question }) => question.run === run.id)).toHaveLength(1);
  });

  test('safe: calls in flight end, and no further turn begins', async () => {
    let end: (value: unknown) => void = () => undefined;
    const { pay, seen } = payTool(0, {
      timeout: '30s',
      execute: (given, ctx) => {
        seen.push({ key: ctx.idempotencyKey, input: given });
        return new Promise((resolve) => (end = resolve));
      },
    });
    rig = await open({ model: scriptedModel(askThenTell([pays('A')])), tools: [pay] });
    const run = await rig.client.start({ agent: 'tester', input: 'go' });
    await eventually('the call', () => seen.length === 1);
    await run.stop('safe');
    end({ paid: 1 });
    expect(await run.result()).toMatchObject({ status: 'stopped', open: [] });
    expect((await rig.records(run.id)).map(({ is }) => is)).toEqual(['claimed', 'done']);
  });

  test('cancelled through Temporal: the same as stop now', async () => {
    rig = await open({ model: scriptedModel(() => ({ text: 'hi' }), { delayMs: 20_000 }), tools: [] });
    const run = await rig.client.start({ agent: 'tester', input: 'go' });
    await eventually('the model call', async () => (await run.state())?.turn === 1);
    await rig.temporal.workflow.getHandle(run.id).cancel();
    expect(await run.result()).toMatchObject({ status: 'stopped' });
  });
});
