import { afterEach, describe, expect, test } from '@jest/globals';
import type { RunHandle } from '../../src/client/run-handle.ts';
import type { Tool } from '../../src/contracts/tool.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';
import type { AskedCall } from '../../src/testing/rule.ts';
import { eventually } from '../support/eventually.ts';
import { pays, payTool } from '../support/pay-tool.ts';
import { approvalOf } from '../support/questions.ts';
import { openRig, type Rig, type RigOptions } from '../support/rig.ts';
import { askThenTell, repliesOf } from '../support/rules.ts';

let rig: Rig;
afterEach(() => rig.close());

const ann = { by: 'ann', reason: 'looked' } as const;
const bob = { by: 'bob', reason: 'agreed' } as const;

async function startWith(tool: Tool, batches: readonly (readonly AskedCall[])[], options: RigOptions = {}) {
  rig = await openRig({ model: scriptedModel(askThenTell(...batches)), tools: [tool] }, options);
  return rig.client.start({ agent: 'tester', input: 'go' });
}

/** Started, task scheduled, task started, task completed. */
const FIRST_TASK_FINISHED = 4 as never;

const asks = { needsApproval: true } as const;
const repliesTo = async (run: RunHandle) => repliesOf((await run.result()).text);
const openIds = async (run: RunHandle) => (await run.state())?.questions.map(({ id }) => id) ?? [];

describe('a call that needs an approval', () => {
  test('approved: it is made once, and nothing was sent or claimed before', async () => {
    const { pay, seen } = payTool(asks);
    const run = await startWith(pay, [[pays('A', 49)]]);
    const question = await approvalOf(run);
    expect(seen).toHaveLength(0);
    expect(await rig.records(run.id)).toEqual([]);
    expect((await run.state())?.waitingFor).toEqual(['approval']);
    expect(await run.decideApproval({ question: question.id, verdict: 'approve', ...ann })).toMatchObject({
      is: 'applied',
    });
    expect(await repliesTo(run)).toMatchObject([{ status: 'ok', data: { paid: 49 } }]);
    expect(seen).toHaveLength(1);
    const claim = (await rig.records(run.id)).find((record) => record.is === 'claimed');
    expect(claim).toMatchObject({ permits: [expect.any(String)] });
  });

  test('denied: the model is told who and why, and nothing is sent', async () => {
    const { pay, seen } = payTool(asks);
    const run = await startWith(pay, [[pays('A')]]);
    const { id } = await approvalOf(run);
    await run.decideApproval({ question: id, verdict: 'deny', by: 'ann', reason: 'not in this month' });
    const [reply] = await repliesTo(run);
    expect(reply).toMatchObject({ status: 'blocked', message: expect.stringContaining('ann: not in this month') });
    expect(seen).toHaveLength(0);
  });

  test('the author says which calls, with a reason; an error in that asks too', async () => {
    const needsApproval = ({ order }: { order: string }) => {
      if (order === 'broken') throw new Error('no idea');
      return order === 'big' && 'a big order';
    };
    const { pay, seen } = payTool({ needsApproval });
    const run = await startWith(pay, [[pays('small'), pays('big'), pays('broken')]]);
    const big = await approvalOf(run, ({ key }) => key.intent === 'pay:big');
    const broken = await approvalOf(run, ({ key }) => key.intent === 'pay:broken');
    expect(big.because).toEqual(['a big order']);
    expect(broken.because).toEqual(['needsApproval of pay failed: no idea']);
    for (const { id } of [big, broken]) await run.decideApproval({ question: id, verdict: 'deny', ...ann });
    expect((await repliesTo(run)).map(({ status }) => status)).toEqual(['ok', 'blocked', 'blocked']);
    expect(seen.map(({ input }) => input.order)).toEqual(['small']);
  });

  test('two of one turn: each has its own question, and answers in the other order reach the right one', async () => {
    const { pay, seen } = payTool(asks);
    const run = await startWith(pay, [[pays('A'), pays('B')]]);
    const a = await approvalOf(run, ({ key }) => key.intent === 'pay:A');
    const b = await approvalOf(run, ({ key }) => key.intent === 'pay:B');
    expect(new Set(await openIds(run))).toEqual(new Set([a.id, b.id]));
    await run.decideApproval({ question: b.id, verdict: 'deny', ...ann });
    await run.decideApproval({ question: a.id, verdict: 'approve', ...ann });
    expect((await repliesTo(run)).map(({ status }) => status)).toEqual(['ok', 'blocked']);
    expect(seen.map(({ input }) => input.order)).toEqual(['A']);
  });

  test('an approval is for one call: the next of the same arguments asks again', async () => {
    const { pay } = payTool({ ...asks, intent: ({ order, amount }) => `pay:${order}:${amount}` });
    const run = await startWith(pay, [[pays('A', 1)], [pays('A', 2)]]);
    const first = await approvalOf(run);
    await run.decideApproval({ question: first.id, verdict: 'approve', ...ann });
    const second = await approvalOf(run, ({ id }) => id !== first.id);
    // The old answer once more, by signal, is none to the new question.
    await rig.temporal.workflow
      .getHandle(run.id)
      .signal('decideApproval', { id: 'again', question: first.id, verdict: 'approve', ...ann });
    await run.decideApproval({ question: second.id, verdict: 'deny', ...ann });
    expect((await repliesTo(run)).map(({ status }) => status)).toEqual(['ok', 'blocked']);
  });

  test('what is not the arguments that were shown is refused', async () => {
    const { pay, seen } = payTool(asks);
    const run = await startWith(pay, [[pays('A')]]);
    const { id, digest } = await approvalOf(run);
    const wrong = await run.decideApproval({ question: id, verdict: 'approve', digest: '0000000000000000', ...ann });
    expect(wrong).toMatchObject({ is: 'refused', why: expect.stringContaining(digest) });
    expect(seen).toHaveLength(0);
    await run.decideApproval({ question: id, verdict: 'approve', digest, ...ann });
    expect(await repliesTo(run)).toMatchObject([{ status: 'ok' }]);
  });

  test('a second word of the same person that says otherwise is told what stands; three times the same is once', async () => {
    const { pay, seen } = payTool(asks);
    const run = await startWith(pay, [[pays('A')]], { worker: 'later' });
    await rig.startWorker();
    const { id } = await approvalOf(run);
    const handle = rig.temporal.workflow.getHandle(run.id);
    const word = (decision: string, verdict: string) =>
      handle.signal('decideApproval', { id: decision, question: id, verdict, ...ann });
    await Promise.all([word('d1', 'approve'), word('d1', 'approve'), word('d1', 'approve')]);
    await word('d2', 'deny');
    expect(await repliesTo(run)).toMatchObject([{ status: 'ok' }]);
    expect(seen).toHaveLength(1);
    expect((await rig.records(run.id)).filter(({ is }) => is === 'decided')).toHaveLength(1);
  });

  test('a word that comes before its question is kept for it', async () => {
    const { pay, seen } = payTool(asks);
    rig = await openRig(
      { model: scriptedModel(askThenTell([pays('A')])), tools: [pay] },
      { config: { approvals: { expire: '1d' } } },
    );
    const first = await rig.client.start({ agent: 'tester', input: 'go', runId: `early-${Date.now()}` });
    const { id } = await approvalOf(first);
    // Reset to its beginning, the run hears the signal before it has asked anything.
    const handle = rig.temporal.workflow.getHandle(first.id);
    await handle.signal('decideApproval', { id: 'd1', question: id, verdict: 'approve', ...ann });
    expect(await repliesTo(first)).toMatchObject([{ status: 'ok' }]);
    await resetToStart(first.id);
    expect(await repliesTo(first)).toMatchObject([{ status: 'ok', data: { paid: 1 } }]);
    expect(seen).toHaveLength(1);
  });

  test('a run that is stopped says that nobody had answered, and not that somebody refused', async () => {
    const { pay, seen } = payTool(asks);
    const run = await startWith(pay, [[pays('A')]]);
    const { id } = await approvalOf(run);
    await run.stop('safe');
    expect(await run.result()).toMatchObject({ status: 'stopped', open: [] });
    expect(seen).toHaveLength(0);
    const events = await run.events();
    const told = events.find((event) => event.type === 'call-answered');
    expect(told).toMatchObject({
      reply: { status: 'blocked', message: expect.stringContaining('nobody had answered') },
    });
    expect(await run.decideApproval({ question: id, verdict: 'approve', ...ann })).toMatchObject({ is: 'refused' });
  });

  test('a read-only tool can ask too', async () => {
    const { pay, seen } = payTool({ ...asks, readOnly: true, intent: undefined, landsWithin: undefined });
    const run = await startWith(pay, [[pays('A')]]);
    const { id } = await approvalOf(run);
    expect(seen).toHaveLength(0);
    await run.decideApproval({ question: id, verdict: 'approve', ...ann });
    expect(await repliesTo(run)).toMatchObject([{ status: 'ok' }]);
    expect(seen).toHaveLength(1);
  });
});

async function resetToStart(run: string): Promise<void> {
  const { runId } = await rig.temporal.workflow.getHandle(run).describe();
  await rig.temporal.workflowService.resetWorkflowExecution({
    namespace: 'default',
    workflowExecution: { workflowId: run, runId },
    reason: 'test',
    workflowTaskFinishEventId: FIRST_TASK_FINISHED,
    requestId: crypto.randomUUID(),
  });
}

describe('an approval outlives', () => {
  test('the workers that asked: approved with new ones, the very arguments shown are sent', async () => {
    const { pay, seen } = payTool(asks);
    rig = await openRig({ model: scriptedModel(askThenTell([pays('A', 49)])), tools: [pay] }, { worker: 'later' });
    const before = await rig.startWorker();
    const run = await rig.client.start({ agent: 'tester', input: 'go' });
    const { id, input } = await approvalOf(run);
    await before.stop();
    expect(await run.decideApproval({ question: id, verdict: 'approve', ...ann })).toMatchObject({
      is: 'kept',
      message: expect.stringContaining('No worker answers'),
    });
    // The model of the new version would ask for more; it is not asked again before the call is made.
    const other = scriptedModel((talk) =>
      talk.turn === 0 ? { calls: [pays('A', 900)] } : { text: JSON.stringify(talk.results.map(({ reply }) => reply)) },
    );
    await rig.startWorker({ model: other, tools: [pay] });
    expect(await repliesTo(run)).toMatchObject([{ status: 'ok', data: { paid: 49 } }]);
    expect(seen.map(({ input: given }) => given)).toEqual([(input as { value: unknown }).value]);
  });

  test('a reset to any event: nothing is sent twice, and nobody is asked twice', async () => {
    const { pay, seen } = payTool(asks);
    const run = await startWith(pay, [[pays('A')]]);
    const { id } = await approvalOf(run);
    await run.decideApproval({ question: id, verdict: 'approve', ...ann });
    await run.result();
    await resetToStart(run.id);
    expect(await repliesTo(run)).toMatchObject([{ status: 'ok' }]);
    expect(seen).toHaveLength(1);
    expect((await run.state())?.refused).toEqual([]);
  });

  test('continue-as-new: the same question, and it is answered', async () => {
    const { pay, seen } = payTool(asks);
    const run = await startWith(pay, [[pays('A')]]);
    const { id } = await approvalOf(run);
    const handle = rig.temporal.workflow.getHandle(run.id);
    const first = (await handle.describe()).runId;
    for (let batch = 0; batch < 30; batch++) {
      await Promise.all(
        Array.from({ length: 70 }, () => handle.signal('lateOutcome', { call: 't9c0', claim: 'none' })),
      );
    }
    await eventually('another execution', async () => (await handle.describe()).runId !== first, 30_000);
    expect((await approvalOf(run)).id).toBe(id);
    await run.decideApproval({ question: id, verdict: 'approve', ...ann });
    expect(await repliesTo(run)).toMatchObject([{ status: 'ok' }]);
    expect(seen).toHaveLength(1);
  });
});

describe('approved with other arguments', () => {
  test('a new call is made of them, and the model is told', async () => {
    const { pay, seen } = payTool(asks);
    const run = await startWith(pay, [[pays('A', 900)]]);
    const { id } = await approvalOf(run);
    const edited = { order: 'A', amount: 90 };
    expect(await run.decideApproval({ question: id, verdict: 'approve', input: edited, ...ann })).toMatchObject({
      is: 'applied',
    });
    const [reply] = await repliesTo(run);
    expect(reply).toMatchObject({ status: 'ok', data: { paid: 90 }, message: expect.stringContaining('ann') });
    expect(seen.map(({ input }) => input)).toEqual([edited]);
  });

  test('what the schema does not take is refused, and uses up nothing', async () => {
    const { pay, seen } = payTool(asks);
    const run = await startWith(pay, [[pays('A', 900)]]);
    const { id } = await approvalOf(run);
    const odd = await run.decideApproval({ question: id, verdict: 'approve', input: { order: 7 }, ...ann });
    expect(odd).toMatchObject({ is: 'refused', why: expect.stringContaining('order') });
    expect((await rig.client.ledger({ run: run.id })).map(({ is }) => is)).toEqual(['declined']);
    await run.decideApproval({ question: id, verdict: 'approve', ...ann });
    expect(await repliesTo(run)).toMatchObject([{ status: 'ok', data: { paid: 900 } }]);
    expect(seen).toHaveLength(1);
  });

  test('another action than before meets the ledger as that action', async () => {
    const { pay, seen } = payTool({ needsApproval: ({ order }) => order !== 'A' });
    const run = await startWith(pay, [[pays('A', 1)], [pays('B', 2)]]);
    const { id } = await approvalOf(run);
    await run.decideApproval({ question: id, verdict: 'approve', input: { order: 'A', amount: 3 }, ...ann });
    expect(await repliesTo(run)).toMatchObject([
      { status: 'ok' },
      { status: 'ok', data: { paid: 1 }, message: expect.stringContaining('NOT applied') },
    ]);
    expect(seen).toHaveLength(1);
  });

  test('a higher amount wants the second person that it would have wanted from the start', async () => {
    const { pay, seen } = payTool({ ...asks, amount: ({ amount = 0 }) => amount });
    const config = { approvals: { quorum: { above: 100 } } };
    const run = await startWith(pay, [[pays('A', 50)]], { config });
    const { id } = await approvalOf(run);
    await run.decideApproval({ question: id, verdict: 'approve', input: { order: 'A', amount: 500 }, ...ann });
    const next = await approvalOf(run, (question) => question.id !== id);
    expect(next).toMatchObject({ need: 2, have: ['ann'], amount: { value: 500 } });
    expect(seen).toHaveLength(0);
    await run.decideApproval({ question: next.id, verdict: 'approve', ...bob });
    expect(await repliesTo(run)).toMatchObject([{ status: 'ok', data: { paid: 500 } }]);
    expect(seen).toHaveLength(1);
  });
});

describe('two people above an amount', () => {
  const config = { approvals: { quorum: { above: 100 } } };
  const worth = { amount: ({ amount = 0 }: { amount?: number | undefined }) => amount };

  test('the same person twice is one; the second one lets it pass', async () => {
    const { pay, seen } = payTool({ ...asks, ...worth });
    const run = await startWith(pay, [[pays('A', 500)]], { config });
    const { id, need } = await approvalOf(run);
    expect(need).toBe(2);
    expect(await run.decideApproval({ question: id, verdict: 'approve', ...ann })).toMatchObject({ is: 'more' });
    expect(await run.decideApproval({ question: id, verdict: 'approve', ...ann })).toMatchObject({ is: 'more' });
    expect((await approvalOf(run)).have).toEqual(['ann']);
    expect(seen).toHaveLength(0);
    await run.decideApproval({ question: id, verdict: 'approve', ...bob });
    expect(await repliesTo(run)).toMatchObject([{ status: 'ok' }]);
    expect(seen).toHaveLength(1);
  });

  test('both may paste the JSON of the page, which has one id for all', async () => {
    const { pay, seen } = payTool({ ...asks, ...worth });
    const run = await startWith(pay, [[pays('A', 500)]], { config });
    const { id } = await approvalOf(run);
    const handle = rig.temporal.workflow.getHandle(run.id);
    for (const by of ['ann', 'bob']) {
      await handle.signal('decideApproval', { id: `d-${id}`, question: id, verdict: 'approve', by, reason: 'fine' });
    }
    expect(await repliesTo(run)).toMatchObject([{ status: 'ok' }]);
    expect(seen).toHaveLength(1);
  });

  test('one who denies it is enough', async () => {
    const { pay, seen } = payTool({ ...asks, ...worth });
    const run = await startWith(pay, [[pays('A', 500)]], { config });
    const { id } = await approvalOf(run);
    await run.decideApproval({ question: id, verdict: 'approve', ...ann });
    await run.decideApproval({ question: id, verdict: 'deny', ...bob });
    expect(await repliesTo(run)).toMatchObject([{ status: 'blocked' }]);
    expect(seen).toHaveLength(0);
  });

  test('holds for a run that began with it, whatever its worker says now', async () => {
    const { pay, seen } = payTool({ ...asks, ...worth });
    const run = await startWith(pay, [[pays('A', 500)]], { config });
    const { id } = await approvalOf(run);
    await rig.stopWorkers();
    await rig.startWorker(undefined, {});
    await eventually('the worker to answer', () => run.state());
    expect(await run.decideApproval({ question: id, verdict: 'approve', ...ann })).toMatchObject({ is: 'more' });
    expect(seen).toHaveLength(0);
    await run.decideApproval({ question: id, verdict: 'approve', ...bob });
    expect(await repliesTo(run)).toMatchObject([{ status: 'ok' }]);
    expect(seen).toHaveLength(1);
  });

  test('are asked each time: what either of them wants remembered makes no quorum', async () => {
    const { pay, seen } = payTool({ ...asks, ...worth });
    const run = await startWith(pay, [[pays('A', 500)], [pays('B', 500)]], { config });
    const remember = { where: {} };
    const first = await approvalOf(run);
    await run.decideApproval({ question: first.id, verdict: 'approve', remember, ...ann });
    await run.decideApproval({ question: first.id, verdict: 'approve', remember, ...bob });
    const second = await approvalOf(run, ({ id }) => id !== first.id);
    expect(second).toMatchObject({ need: 2, have: [] });
    await run.decideApproval({ question: second.id, verdict: 'deny', ...ann });
    expect((await repliesTo(run)).map(({ status }) => status)).toEqual(['ok', 'blocked']);
    expect(seen).toHaveLength(1);
  });

  test('that do not agree leave no rule behind', async () => {
    const { pay } = payTool({ ...asks, ...worth });
    const run = await startWith(pay, [[pays('A', 500)], [pays('B', 5)]], { config });
    const first = await approvalOf(run);
    await run.decideApproval({ question: first.id, verdict: 'approve', remember: { where: {} }, ...ann });
    await run.decideApproval({ question: first.id, verdict: 'deny', ...bob });
    const second = await approvalOf(run, ({ id }) => id !== first.id);
    await run.decideApproval({ question: second.id, verdict: 'deny', ...bob });
    await repliesTo(run);
    expect((await rig.records(run.id)).filter(({ is }) => is === 'ruled')).toEqual([]);
  });

  test('an outcome wants two as well, and they must say the same', async () => {
    const { pay } = payTool({ ...worth, execute: () => Promise.reject(new Error('connection reset')) });
    const run = await startWith(pay, [[pays('A', 500)]], { config });
    const { questions } = await eventually('a question', async () => {
      const view = await run.state();
      return view && view.questions.length > 0 && view;
    });
    const question = questions[0]?.id ?? '';
    const happened = { question, verdict: 'happened', result: { paid: 500 } } as const;
    expect(await run.resolveOutcome({ ...happened, ...ann })).toMatchObject({ is: 'more' });
    expect(await run.resolveOutcome({ ...happened, result: { paid: 1 }, ...bob })).toMatchObject({ is: 'more' });
    expect(await openIds(run)).toEqual([question]);
    await run.resolveOutcome({ ...happened, by: 'cyd', reason: 'saw it' });
    expect(await repliesTo(run)).toMatchObject([{ status: 'ok', data: { paid: 500 } }]);
  });
});

describe('an approval that nobody gives', () => {
  test('expires and is asked again under another id; the old id is no longer one', async () => {
    const { pay, seen } = payTool(asks);
    const run = await startWith(pay, [[pays('A')]], { config: { approvals: { expire: '4s' } } });
    const first = await approvalOf(run);
    const second = await approvalOf(run, ({ id }) => id !== first.id);
    expect(second.known.join()).toContain('Asked 2 times');
    const late = await run.decideApproval({ question: first.id, verdict: 'approve', ...ann });
    expect(late).toMatchObject({ is: 'refused' });
    expect(seen).toHaveLength(0);
    const events = await run.events();
    expect(events.filter(({ type }) => type === 'question-expired').length).toBeGreaterThanOrEqual(1);
    // It may expire once more between the look and the word.
    await eventually('a word in time', async () => {
      const [open] = (await run.state())?.questions ?? [];
      return open && (await run.decideApproval({ question: open.id, verdict: 'approve', ...ann })).is === 'applied';
    });
    expect(await repliesTo(run)).toMatchObject([{ status: 'ok' }]);
  });
});

describe('a remembered approval', () => {
  test('is a rule of the task: what fits it is not asked about, what does not is', async () => {
    const { pay, seen } = payTool(asks);
    const run = await startWith(pay, [[pays('A', 5)], [pays('B', 5)], [pays('C', 6)]]);
    const { id } = await approvalOf(run);
    await run.decideApproval({ question: id, verdict: 'approve', remember: { where: { amount: 5 } }, ...ann });
    const other = await approvalOf(run, (question) => question.id !== id);
    expect(other.key.intent).toBe('pay:C');
    await run.decideApproval({ question: other.id, verdict: 'deny', ...ann });
    expect((await repliesTo(run)).map(({ status }) => status)).toEqual(['ok', 'ok', 'blocked']);
    expect(seen.map(({ input }) => input.order)).toEqual(['A', 'B']);
    const [rule] = (await rig.records(run.id)).filter((record) => record.is === 'ruled');
    expect(rule).toMatchObject({ rule: { tool: 'pay', where: { amount: 5 }, by: 'ann' } });
  });
});

test('two rules under one decision id stand both, and either is written once', async () => {
  const { pay, seen } = payTool(asks);
  const run = await startWith(pay, [[pays('A', 5)], [pays('B', 6)], [pays('C', 5), pays('D', 6)]]);
  const handle = rig.temporal.workflow.getHandle(run.id);
  const first = await approvalOf(run);
  const word = { id: 'd1', verdict: 'approve', ...ann } as const;
  const remember = (amount: number) => ({ remember: { where: { amount } } });
  await handle.signal('decideApproval', { ...word, question: first.id, ...remember(5) });
  const second = await approvalOf(run, ({ id }) => id !== first.id);
  await handle.signal('decideApproval', { ...word, question: second.id, ...remember(6) });
  await handle.signal('decideApproval', { ...word, question: second.id, ...remember(6) });
  expect((await repliesTo(run)).map(({ status }) => status)).toEqual(['ok', 'ok', 'ok', 'ok']);
  expect(seen).toHaveLength(4);
  const rules = (await rig.records(run.id)).filter((record) => record.is === 'ruled');
  expect(rules.map(({ rule }) => [rule.id, rule.where])).toEqual([
    ['d1', { amount: 5 }],
    ['d1', { amount: 6 }],
  ]);
});
