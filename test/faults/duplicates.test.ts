import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import type { RunHandle } from '../../src/client/run-handle.ts';
import type { ToolDefinition } from '../../src/contracts/tool.ts';
import { defineTool } from '../../src/policy/define-tool.ts';
import { readPayments, scriptedModel, startPayments, type PaymentMode } from '../../src/testing/index.ts';
import { eventually } from '../support/eventually.ts';
import { pays, payTool } from '../support/pay-tool.ts';
import { approvalOf, outcomeOf } from '../support/questions.ts';
import { openRig, type Rig } from '../support/rig.ts';
import { askThenTell, repliesOf } from '../support/rules.ts';
import { openDesk } from './desk.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});
function toClose<T extends { close(): Promise<void> }>(one: T): T {
  open.push(one);
  return one;
}

const ann = { by: 'ann', reason: 'looked' } as const;
const repliesTo = async (run: RunHandle) => repliesOf((await run.result()).text);

describe('an action whose answer was lost', () => {
  test('is not planned again with another amount before somebody has said what became of it (A1)', async () => {
    let asked = 0;
    const { pay, seen } = payTool({
      timeout: '1s',
      execute: (given, ctx) => {
        seen.push({ key: ctx.idempotencyKey, input: given });
        return new Promise(() => undefined);
      },
    });
    const model = scriptedModel(askThenTell([pays('A', 49)], [pays('A', 54.95)]), { onCall: () => (asked += 1) });
    const rig = toClose(await openRig({ model, tools: [pay] }, { grace: '1s' }));
    const run = await rig.client.start({ agent: 'tester', input: 'go' });
    const { id } = await outcomeOf(run);
    expect(asked).toBe(1);
    await run.resolveOutcome({ question: id, verdict: 'happened', result: { paid: 49 }, ...ann });
    expect(await repliesTo(run)).toMatchObject([
      { status: 'ok', data: { paid: 49 } },
      { status: 'ok', data: { paid: 49 }, message: expect.stringContaining('NOT applied') },
    ]);
    expect(seen.map(({ input: given }) => given.amount)).toEqual([49]);
  });

  test('is not sent again under a key that the model makes up (A2)', async () => {
    const seen: { key: string; input: object }[] = [];
    const pay = defineTool({
      name: 'pay',
      description: 'Pays. Use a fresh idempotency_key for each request.',
      input: z.looseObject({ order: z.string() }),
      timeout: '1s',
      idempotent: 'by-key',
      intent: ({ order }) => `pay:${order}`,
      execute: (given, ctx) => {
        seen.push({ key: ctx.idempotencyKey, input: given });
        return seen.length === 1 ? new Promise(() => undefined) : Promise.resolve('paid');
      },
    });
    const calls = ['k1', 'k2'].map((key) => [{ tool: 'pay', input: { order: 'A', idempotency_key: key } }]);
    const rig = toClose(await openRig({ model: scriptedModel(askThenTell(...calls)), tools: [pay] }, { grace: '1s' }));
    const run = await rig.client.start({ agent: 'tester', input: 'go' });
    expect(await repliesTo(run)).toMatchObject([
      { status: 'ok', data: 'paid' },
      { status: 'ok', data: 'paid' },
    ]);
    expect(seen).toHaveLength(2);
    expect(new Set(seen.map(({ key }) => key)).size).toBe(1);
    expect(seen.map(({ input: given }) => given)).toEqual([{ order: 'A' }, { order: 'A' }]);
  });
});

describe('what was done stays done', () => {
  test('while people turn down one plan after another (A3)', async () => {
    let logged = 0;
    const log = defineTool({
      name: 'log',
      description: 'Writes into the log.',
      input: z.object({}),
      timeout: '5s',
      execute: () => Promise.resolve(++logged),
    });
    const { pay, seen } = payTool({ needsApproval: true });
    const plans = [10, 20, 30, 40].map((amount) => [pays('A', amount)]);
    const model = scriptedModel(askThenTell([{ tool: 'log', input: {} }], ...plans));
    const rig = toClose(await openRig({ model, tools: [log, pay] }));
    const run = await rig.client.start({ agent: 'tester', input: 'go' });
    const asked: string[] = [];
    for (const verdict of ['deny', 'deny', 'deny', 'approve'] as const) {
      const { id } = await approvalOf(run, (question) => !asked.includes(question.id));
      asked.push(id);
      await run.decideApproval({ question: id, verdict, ...ann });
    }
    expect((await repliesTo(run)).map(({ status }) => status)).toEqual(['ok', 'blocked', 'blocked', 'blocked', 'ok']);
    expect(logged).toBe(1);
    expect(seen.map(({ input: given }) => given.amount)).toEqual([40]);
    expect((await rig.records(run.id)).filter(({ is }) => is === 'decided')).toHaveLength(4);
  });

  test('beside a call that waits for an approval, also when the workers are replaced (A4)', async () => {
    let mailed = 0;
    const mail = defineTool({
      name: 'mail',
      description: 'Sends mail.',
      input: z.object({ to: z.string() }),
      timeout: '5s',
      execute: () => Promise.resolve({ mail: ++mailed }),
    });
    const { pay, seen } = payTool({ needsApproval: true });
    const model = scriptedModel(askThenTell([pays('A', 49), { tool: 'mail', input: { to: 'x' } }]));
    const rig = toClose(await openRig({ model, tools: [pay, mail] }, { worker: 'later' }));
    const worker = await rig.startWorker();
    const run = await rig.client.start({ agent: 'tester', input: 'go' });
    const { id } = await approvalOf(run);
    await eventually('the mail', async () => (await rig.records(run.id)).some(({ is }) => is === 'done'));
    await worker.stop();
    await rig.startWorker();
    await eventually('the new worker', () => run.state());
    expect(await run.decideApproval({ question: id, verdict: 'approve', ...ann })).toMatchObject({ is: 'applied' });
    expect(await repliesTo(run)).toMatchObject([
      { status: 'ok', data: { paid: 49 } },
      { status: 'ok', data: { mail: 1 } },
    ]);
    expect([mailed, seen.length]).toEqual([1, 1]);
  });

  test('an approved call whose worker is killed after the effect: unknown, and the approval lets nothing more pass (A5)', async () => {
    const call = [{ tool: 'pay', input: { order: 'lost', amount: 49 } }];
    const desk = toClose(await openDesk({ batches: [call, call], needsApproval: true }));
    const worker = await desk.startWorker();
    const run = await desk.client.start({ agent: 'tester', input: 'go' });
    const first = await approvalOf(run);
    await run.decideApproval({ question: first.id, verdict: 'approve', ...ann });
    await eventually('the effect', () => desk.count().effects.length === 1);
    await worker.kill();
    await desk.startWorker();
    const { id } = await outcomeOf(run);
    expect((await desk.records(run.id)).filter(({ is }) => is === 'claimed')).toMatchObject([
      { permits: [expect.anything()] },
    ]);
    await run.resolveOutcome({ question: id, verdict: 'did-not-happen', override: true, ...ann });
    // The same action once more: it is asked about, as if nobody had approved anything.
    const second = await approvalOf(run, (question) => question.id !== first.id);
    await run.decideApproval({ question: second.id, verdict: 'deny', ...ann });
    expect((await repliesTo(run)).map(({ status }) => status)).toEqual(['failed', 'blocked']);
    expect(desk.count()).toMatchObject({ arrivals: [{}], effects: [{}] });
  });
});

interface Counted {
  readonly is: string;
  readonly flags: Pick<ToolDefinition<never>, 'idempotent'>;
  readonly modes: readonly PaymentMode[];
  readonly arrivals: number;
  readonly effects: number;
  readonly ends: string;
}

describe('requests counted at the receiver are the attempts of the ledger, under one key (A7, A8, F9)', () => {
  const byKey = { idempotent: 'by-key' } as const;
  const idempotent = { idempotent: true } as const;
  const COUNTED: readonly Counted[] = [
    { is: 'a reset connection, by key', flags: byKey, modes: [{ is: 'reset' }], arrivals: 2, effects: 1, ends: 'ok' },
    { is: 'no answer in time, by key', flags: byKey, modes: [{ is: 'hang' }], arrivals: 2, effects: 1, ends: 'ok' },
    {
      is: '503 once',
      flags: idempotent,
      modes: [{ is: 'turn-away', status: 503, times: 1 }],
      arrivals: 2,
      effects: 1,
      ends: 'ok',
    },
    {
      is: '503 for ever',
      flags: idempotent,
      modes: [{ is: 'turn-away', status: 503 }],
      arrivals: 3,
      effects: 0,
      ends: 'unavailable',
    },
    {
      is: '503 for ever, by key',
      flags: byKey,
      modes: [{ is: 'turn-away', status: 503 }],
      arrivals: 3,
      effects: 0,
      ends: 'asks',
    },
    {
      is: '429 twice, neither flag',
      flags: {},
      modes: [{ is: 'turn-away', status: 429, times: 2 }],
      arrivals: 3,
      effects: 1,
      ends: 'ok',
    },
    {
      is: 'a reset connection, neither flag',
      flags: {},
      modes: [{ is: 'reset' }],
      arrivals: 1,
      effects: 1,
      ends: 'asks',
    },
    {
      is: 'no answer in time, neither flag',
      flags: {},
      modes: [{ is: 'hang' }],
      arrivals: 1,
      effects: 1,
      ends: 'asks',
    },
    {
      is: '503, neither flag',
      flags: {},
      modes: [{ is: 'turn-away', status: 503 }],
      arrivals: 1,
      effects: 0,
      ends: 'asks',
    },
  ];

  test.each(COUNTED)('$is: $arrivals', async ({ flags, modes, arrivals, effects, ends }) => {
    const folder = await mkdtemp(join(tmpdir(), 'holdfast-counted-'));
    toClose({ close: () => rm(folder, { recursive: true, force: true }) });
    const dbFile = join(folder, 'payments.db');
    const { url } = toClose(await startPayments({ dbFile, modes }));
    const { pay } = payTool({
      timeout: '1s',
      maxAttempts: 3,
      execute: async ({ order, amount }, ctx) => {
        const body = JSON.stringify({ orderId: order, amount });
        const response = await ctx.fetch(`${url}/refunds`, { method: 'POST', body });
        if (!response.ok) throw new Error(`payments answered ${response.status}`);
        return response.json();
      },
      ...flags,
    });
    const rig = toClose(
      await openRig({ model: scriptedModel(askThenTell([pays('A', 49)])), tools: [pay] }, { grace: '1s' }),
    );
    const run = await rig.client.start({ agent: 'tester', input: 'go' });
    if (ends === 'asks') {
      const { id } = await outcomeOf(run);
      await run.resolveOutcome({ question: id, verdict: 'happened', result: null, ...ann });
    }
    expect(await repliesTo(run)).toMatchObject([{ status: ends === 'asks' ? 'ok' : ends }]);
    const counted = readPayments(dbFile);
    expect(counted.arrivals).toHaveLength(arrivals);
    expect(counted.effects).toHaveLength(effects);
    expect(new Set(counted.arrivals.map(({ key, bodyHash }) => `${key} ${bodyHash}`)).size).toBe(1);
    expect((await rig.records(run.id)).filter(({ is }) => is === 'claimed')).toHaveLength(arrivals);
  });
});

describe('a key met again', () => {
  test('by six runs of one task at the same instant, on two workers: one effect', async () => {
    const { pay, seen } = payTool();
    const rig = toClose(await openRig({ model: scriptedModel(askThenTell([pays('A', 49)])), tools: [pay] }));
    await rig.startWorker();
    const taskId = `task-${rig.taskQueue}`;
    const runs = await Promise.all(
      Array.from({ length: 6 }, () => rig.client.start({ agent: 'tester', input: 'go', taskId })),
    );
    for (const run of runs) expect(await repliesTo(run)).toMatchObject([{ status: 'ok', data: { paid: 49 } }]);
    expect(seen).toHaveLength(1);
  });

  const resets = async (say: (rig: Rig, run: RunHandle, question: string) => Promise<unknown>) => {
    const { pay, seen } = payTool({ needsApproval: ({ order }) => order === 'A' });
    const model = scriptedModel(askThenTell([pays('A'), pays('B')], [pays('C')]));
    const rig = toClose(await openRig({ model, tools: [pay] }));
    const run = await rig.client.start({ agent: 'tester', input: 'go' });
    const { id } = await approvalOf(run);
    await say(rig, run, id);
    await run.result();
    return { rig, run, seen };
  };

  test('by resets to every task of a finished run: nothing acts a second time, and nobody is asked twice', async () => {
    const word = (question: string) => ({ id: 'd1', question, verdict: 'approve', ...ann });
    const { rig, run, seen } = await resets((on, { id }, question) =>
      on.temporal.workflow.getHandle(id).signal('decideApproval', word(question)),
    );
    const { runId, tasks } = await finishedTasks(rig, run);
    expect(tasks.length).toBeGreaterThan(5);
    for (const { eventId } of tasks) {
      await resetTo(rig, run, runId, eventId);
      expect((await repliesTo(run)).map(({ status }) => status)).toEqual(['ok', 'ok', 'ok']);
      expect(seen).toHaveLength(3);
    }
  });

  // The word came as an update, which the reset offers before the question is there again.
  test('by a reset to where it was asked about: the word that stands in the ledger is found', async () => {
    const { rig, run, seen } = await resets((_, { decideApproval }, question) =>
      decideApproval({ question, verdict: 'approve', ...ann }),
    );
    const { runId, tasks, asked } = await finishedTasks(rig, run);
    expect(asked).toBeGreaterThan(0);
    await resetTo(rig, run, runId, tasks.find(({ at }) => at > asked)!.eventId);
    await eventually('the end', async () => (await run.state())?.status === 'completed', 4_000);
    expect(seen).toHaveLength(3);
  });

  // The reset forgets who said so; what the approval was for did not happen, so it is asked for anew.
  test('by a reset after it was settled as not having happened: the approval is not used a second time', async () => {
    const { pay, seen } = payTool({
      needsApproval: true,
      timeout: '1s',
      execute: () => new Promise(() => undefined),
    });
    const rig = toClose(await openRig({ model: scriptedModel(askThenTell([pays('A')])), tools: [pay] }));
    const run = await rig.client.start({ agent: 'tester', input: 'go' });
    const { id } = await approvalOf(run);
    await run.decideApproval({ question: id, verdict: 'approve', ...ann });
    const lost = await outcomeOf(run);
    const { runId, tasks } = await finishedTasks(rig, run);
    await run.resolveOutcome({ question: lost.id, verdict: 'did-not-happen', override: true, ...ann });
    await run.result();
    await resetTo(rig, run, runId, tasks[1]!.eventId);
    const again = await approvalOf(run);
    expect(again).toMatchObject({ generation: 2 });
    expect(again.id).not.toBe(id);
    await run.decideApproval({ question: again.id, verdict: 'deny', ...ann });
    await run.result();
    expect(seen).toHaveLength(0);
    expect((await rig.records(run.id)).filter(({ is }) => is === 'claimed')).toHaveLength(1);
  });
});

/** The tasks that a run can be reset to, and where in its history the first call came back for the first time. */
async function finishedTasks({ temporal }: Rig, { id }: RunHandle) {
  const handle = temporal.workflow.getHandle(id);
  const { runId } = await handle.describe();
  const events = (await handle.fetchHistory()).events ?? [];
  const tasks = events.flatMap(({ eventId, workflowTaskCompletedEventAttributes }, at) =>
    workflowTaskCompletedEventAttributes ? [{ eventId: eventId!, at }] : [],
  );
  const call = events.find((event) => event.activityTaskScheduledEventAttributes?.activityId === 't1c0s1')?.eventId;
  const asked = events.findIndex(
    ({ activityTaskCompletedEventAttributes: done, activityTaskFailedEventAttributes: failed }) =>
      call?.equals((done ?? failed)?.scheduledEventId ?? 0),
  );
  return { runId, asked, tasks };
}

type EventId = Awaited<ReturnType<typeof finishedTasks>>['tasks'][number]['eventId'];

async function resetTo({ temporal }: Rig, { id }: RunHandle, runId: string, workflowTaskFinishEventId: EventId) {
  await temporal.workflowService.resetWorkflowExecution({
    namespace: 'default',
    workflowExecution: { workflowId: id, runId },
    workflowTaskFinishEventId,
    requestId: crypto.randomUUID(),
    reason: 'test',
  });
}
