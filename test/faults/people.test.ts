import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { LanguageModelV4Message } from '@ai-sdk/provider';
import { afterEach, describe, expect, test } from '@jest/globals';
import { NativeConnection, Worker } from '@temporalio/worker';
import { z } from 'zod';
import { AgentClient } from '../../src/client/agent-client.ts';
import type { RunHandle } from '../../src/client/run-handle.ts';
import type { Question } from '../../src/contracts/question.ts';
import { holdfast } from '../../src/plugin.ts';
import { defineAgent, defineConfig } from '../../src/policy/define-agent.ts';
import { defineTool } from '../../src/policy/define-tool.ts';
import { readSettings } from '../../src/temporal/settings.ts';
import { scriptedModel, type AskedCall } from '../../src/testing/index.ts';
import { installRuntime } from '../../src/workers/install-runtime.ts';
import { eventually } from '../support/eventually.ts';
import { pays, payTool } from '../support/pay-tool.ts';
import { approvalOf, outcomeOf } from '../support/questions.ts';
import { quietLogger } from '../support/quiet-logger.ts';
import { openRig, testAddress, type Rig, type RigOptions, type TestAgent } from '../support/rig.ts';
import { askThenTell, repliesOf } from '../support/rules.ts';

const seed = Date.now() % 2 ** 31;

let rig: Rig | undefined;
afterEach(async () => {
  await rig?.close();
  rig = undefined;
});

const ann = { by: 'ann', reason: 'looked' } as const;
const bob = { by: 'bob', reason: 'looked too' } as const;
const asks = { needsApproval: true } as const;
const orders = (count: number) => Array.from({ length: count }, (_, at) => `o${at}`);

async function start(agent: TestAgent, options: RigOptions = {}) {
  rig = await openRig(agent, options);
  return { rig, run: await rig.client.start({ agent: 'tester', input: 'go' }) };
}

const repliesTo = async (run: RunHandle) => repliesOf((await run.result()).text);
const orderOf = ({ key }: Question): string => key.intent.replace('pay:', '');

/** The questions of all these orders, by order, once the run has asked them all. */
async function questionsOn(run: RunHandle, count: number): Promise<ReadonlyMap<string, Question>> {
  const asked = await eventually(
    `${count} questions`,
    async () => {
      const questions = (await run.state())?.questions ?? [];
      return questions.length === count && questions;
    },
    45_000,
  );
  return new Map(asked.map((question) => [orderOf(question), question]));
}

describe('an approval', () => {
  test('given the moment it is asked for, in a run whose transcript is large (B7)', async () => {
    const read = defineTool({
      name: 'read',
      description: 'Reads a page.',
      input: z.object({ page: z.number() }),
      readOnly: true,
      timeout: '5s',
      execute: ({ page }) => Promise.resolve(`${page}`.repeat(500_000)),
    });
    const { pay, seen } = payTool(asks);
    const pages = [1, 2, 3].map((page) => ({ tool: 'read', input: { page } }));
    const model = scriptedModel(({ turn, results }) => {
      if (turn < 2) return { calls: turn === 0 ? pages : [pays('A', 49)] };
      return { text: JSON.stringify(results.slice(3).map(({ reply }) => reply)) };
    });
    const { run } = await start({ model, tools: [read, pay] });
    const { id } = await approvalOf(run);
    expect(await run.decideApproval({ question: id, verdict: 'approve', ...ann })).toMatchObject({ is: 'applied' });
    expect(await repliesTo(run)).toMatchObject([{ status: 'ok', data: { paid: 49 } }]);
    expect(seen).toHaveLength(1);
  });

  test('that a rule gives to two calls at once: both results are told (B8)', async () => {
    const { pay, seen } = payTool({
      ...asks,
      execute: async (given, ctx) => {
        seen.push({ key: ctx.idempotencyKey, input: given });
        await eventually('the other calls of the turn', () => given.order === 'first' || seen.length === 3);
        return given.order;
      },
    });
    const { run } = await start({
      model: scriptedModel(askThenTell([pays('first')], [pays('A'), pays('B')])),
      tools: [pay],
    });
    const { id } = await approvalOf(run);
    await run.decideApproval({ question: id, verdict: 'approve', remember: { where: {} }, ...ann });
    expect((await repliesTo(run)).map(({ data }) => data)).toEqual(['first', 'A', 'B']);
  });

  test('by a bare signal, with no client of ours attached: the run goes on within 5 s (B9)', async () => {
    const { pay, seen } = payTool(asks);
    const { rig: open, run } = await start({ model: scriptedModel(askThenTell([pays('A')])), tools: [pay] });
    const handle = open.temporal.workflow.getHandle(run.id);
    const question = await eventually('a question', async () => (await handle.query<Question[]>('questions'))[0]);
    await handle.signal('decideApproval', { id: 'd1', question: question.id, verdict: 'approve', ...ann });
    await eventually('the effect', () => seen.length === 1, 5_000);
    await handle.result();
  });

  test('meant for another run changes nothing there, by update or by signal', async () => {
    const { pay, seen } = payTool(asks);
    const { rig: open, run } = await start({ model: scriptedModel(askThenTell([pays('A')])), tools: [pay] });
    const other = await open.client.start({ agent: 'tester', input: 'go' });
    const [mine, theirs] = [await approvalOf(run), await approvalOf(other)];
    expect(mine.id).not.toBe(theirs.id);
    const word = { question: theirs.id, verdict: 'approve', ...ann } as const;
    expect(await run.decideApproval(word)).toMatchObject({ is: 'refused', why: expect.stringContaining(mine.id) });
    await open.temporal.workflow.getHandle(run.id).signal('decideApproval', { id: 'd1', ...word });
    await eventually('the stray word to be shown', async () => (await run.state())?.awaited.includes(theirs.id));
    for (const [asked, { id }] of [
      [run, mine],
      [other, theirs],
    ] as const) {
      await asked.decideApproval({ question: id, verdict: 'deny', ...bob });
      expect(await repliesTo(asked)).toMatchObject([{ status: 'blocked' }]);
    }
    expect(seen).toHaveLength(0);
  });

  test('and a denial by two people at the same moment: one of them stands for each call', async () => {
    const { pay, seen } = payTool(asks);
    const ten = orders(10);
    const { rig: open, run } = await start({
      model: scriptedModel(askThenTell(ten.map((order) => pays(order)))),
      tools: [pay],
    });
    const asked = await questionsOn(run, ten.length);
    const decided = await Promise.all(
      ten.flatMap((order, at) => {
        const { id } = asked.get(order)!;
        const words = [
          () => run.decideApproval({ question: id, verdict: 'approve', ...ann }),
          () => run.decideApproval({ question: id, verdict: 'deny', ...bob }),
        ];
        return (at % 2 === 0 ? words : words.reverse()).map((say) => say());
      }),
    );
    const replies = await repliesTo(run);
    const paid = ten.filter((_, at) => replies[at]?.status === 'ok');
    expect(seen.map(({ input }) => input.order).sort()).toEqual([...paid].sort());
    for (const [at] of ten.entries()) {
      // Judged at once or later, one of the two is not refused.
      expect(decided.slice(2 * at, 2 * at + 2).some(({ is }) => is !== 'refused')).toBe(true);
    }
    expect((await open.records(run.id)).filter(({ is }) => is === 'decided')).toHaveLength(10);
  });

  test('and a denial in one task of the run: the second is shown as refused, with what stands', async () => {
    const { pay } = payTool(asks);
    const { rig: open, run } = await start(
      { model: scriptedModel(askThenTell([pays('A')])), tools: [pay] },
      { worker: 'later' },
    );
    const worker = await open.startWorker();
    const { id } = await approvalOf(run);
    await worker.stop();
    const handle = open.temporal.workflow.getHandle(run.id);
    await handle.signal('decideApproval', { id: 'd1', question: id, verdict: 'approve', ...ann });
    await handle.signal('decideApproval', { id: 'd2', question: id, verdict: 'deny', ...bob });
    await open.startWorker();
    expect(await repliesTo(run)).toMatchObject([{ status: 'ok' }]);
    expect((await run.state())?.refused).toMatchObject([{ id: 'd2', why: expect.stringContaining('ann approved it') }]);
  });
});

describe('a decision that the run could not hold', () => {
  const signalled = async (words: readonly object[]) => {
    const { pay, seen } = payTool(asks);
    const { rig: open, run } = await start({ model: scriptedModel(askThenTell([pays('A')])), tools: [pay] });
    const { id } = await approvalOf(run);
    const handle = open.temporal.workflow.getHandle(run.id);
    await Promise.all(words.map((word) => handle.signal('decideApproval', { verdict: 'approve', ...ann, ...word })));
    return { run, id, seen };
  };

  test('because it is nearly as large as a message may be is refused, and the run goes on', async () => {
    const large = { id: 'd1', question: 'q1', input: { order: 'x'.repeat(1_900_000) } };
    const { run, id, seen } = await signalled([large]);
    await eventually('the refusal', async () => (await run.state())?.refused.length === 1, 10_000);
    expect((await run.state())?.refused[0]?.why).toContain('100000 characters');
    await run.decideApproval({ question: id, verdict: 'approve', ...ann });
    expect(await repliesTo(run)).toMatchObject([{ status: 'ok' }]);
    expect(seen).toHaveLength(1);
  });

  test('because sixty others wait for their questions is refused, and none of the sixty is lost', async () => {
    const early = Array.from({ length: 70 }, (_, at) => ({ id: `d${at}`, question: `q-${at}` }));
    const { run, id } = await signalled(early);
    const view = await eventually('all to be heard', async () => {
      const now = await run.state();
      return now?.awaited.length === 60 && now.refused.length === 10 && now;
    });
    expect(new Set(view.awaited).size).toBe(60);
    const kept = new Set([...view.awaited, ...view.refused.map(({ question }) => question)]);
    expect(kept.size).toBe(70);
    expect(await run.decideApproval({ question: id, verdict: 'approve', ...ann })).toMatchObject({ is: 'applied' });
    expect(await repliesTo(run)).toMatchObject([{ status: 'ok' }]);
  });
});

test('every request that the model gets holds exactly one result for each call, whatever became of the calls (B14, B18)', async () => {
  const prompts: (readonly LanguageModelV4Message[])[] = [];
  const { pay } = payTool({
    needsApproval: ({ order }) => order.startsWith('ask'),
    onUnknown: 'tell-model',
    onRepeat: () => 'allow',
    execute: ({ order }) => (order === 'lost' ? Promise.reject(new Error('connection reset')) : Promise.resolve(order)),
  });
  const first = ['ask-yes', 'plain', 'ask-no', 'lost'].map((order) => pays(order));
  const odd: readonly AskedCall[] = [
    pays('ask-yes'),
    { tool: 'pay', input: { order: 7 } },
    { tool: 'none', input: {} },
  ];
  const { run } = await start({
    model: scriptedModel(askThenTell(first, odd), { onCall: ({ prompt }) => prompts.push(prompt) }),
    tools: [pay],
  });
  const yes = await approvalOf(run, (question) => orderOf(question) === 'ask-yes');
  const no = await approvalOf(run, (question) => orderOf(question) === 'ask-no');
  await run.decideApproval({ question: no.id, verdict: 'deny', ...ann });
  for (const id of ['d1', 'd1']) await run.decideApproval({ id, question: yes.id, verdict: 'approve', ...ann });
  const lost = await outcomeOf(run);
  await eventually('the answer', async () => (await run.state())?.status === 'answered');
  await run.resolveOutcome({ question: lost.id, verdict: 'happened', result: null, ...ann });
  await run.result();
  expect(prompts).toHaveLength(3);
  for (const [at, prompt] of prompts.entries()) {
    const asked = prompt.flatMap(({ role, content }) =>
      role === 'assistant' ? content.flatMap((part) => (part.type === 'tool-call' ? [part.toolCallId] : [])) : [],
    );
    const answered = prompt.flatMap(({ role, content }) =>
      role === 'tool' ? content.flatMap((part) => (part.type === 'tool-result' ? [part.toolCallId] : [])) : [],
    );
    expect(answered).toEqual(asked);
    expect(new Set(asked).size).toBe([0, 4, 7][at]);
  }
});

test('a question of an agent that another workflow runs is answered after the workers were replaced, and the workflow gets the answer (B17)', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-parent-'));
  installRuntime(quietLogger, undefined);
  const taskQueue = `parent-${process.pid}-${Date.now()}`;
  const settings = readSettings({ HOLDFAST_DATA: folder, TEMPORAL_ADDRESS: testAddress() });
  const { pay, seen } = payTool(asks);
  const model = scriptedModel(askThenTell([pays('A', 49)]));
  const agent = defineAgent({ name: 'tester', instructions: 'You are tested.', model, tools: [pay] });
  const connection = await NativeConnection.connect({ address: testAddress() });
  const startWorker = async () => {
    const worker = await Worker.create({
      connection,
      taskQueue,
      workflowsPath: fileURLToPath(new URL('./parent-workflow.ts', import.meta.url)),
      plugins: [holdfast(defineConfig({ agents: [agent], taskQueue }), { settings })],
    });
    return { worker, running: worker.run() };
  };
  const client = await AgentClient.connect({ settings, taskQueue });
  // For its plain client only.
  rig = await openRig({ model, tools: [] }, { worker: 'later' });
  const before = await startWorker();
  const parent = await rig.temporal.workflow.start('asksAnAgent', { taskQueue, workflowId: taskQueue, args: [] });
  const child = client.get(`${taskQueue}-child`);
  const { id } = await approvalOf(child);
  before.worker.shutdown();
  await before.running;
  const after = await startWorker();
  await eventually('the new worker', () => child.state());
  expect(await child.decideApproval({ question: id, verdict: 'approve', ...ann })).toMatchObject({ is: 'applied' });
  expect(repliesOf((await parent.result()) as string)).toMatchObject([{ status: 'ok', data: { paid: 49 } }]);
  expect(seen).toHaveLength(1);
  after.worker.shutdown();
  await after.running;
  await Promise.all([client.close(), connection.close()]);
  await rm(folder, { recursive: true, force: true });
});

/** Numbers in [0, 1) that are a function of a seed (mulberry32). */
function dice(of: number): () => number {
  let state = of;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

test(`a decision that races late news, in 60 orders: one of them stands, and a contradiction is recorded and said (seed ${seed})`, async () => {
  const sixty = orders(60);
  const lands = new Map<string, (value: unknown) => void>();
  const { pay } = payTool({
    timeout: '1s',
    execute: ({ order }) => new Promise((resolve) => lands.set(order, resolve)),
  });
  const { rig: open, run } = await start(
    { model: scriptedModel(askThenTell(sixty.map((order) => pays(order)))), tools: [pay] },
    { grace: '1s' },
  );
  const asked = await questionsOn(run, sixty.length);
  const roll = dice(seed);
  const later = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
  const said = await Promise.all(
    sixty.map(async (order) => {
      const { id } = asked.get(order)!;
      const [newsMs, wordMs] = [roll() * 1_500, roll() * 1_500];
      const word = { question: id, verdict: 'did-not-happen', override: true, ...ann } as const;
      const [decided] = await Promise.all([
        later(wordMs).then(() => run.resolveOutcome(word)),
        later(newsMs).then(() => lands.get(order)?.(order)),
      ]);
      return decided;
    }),
  );
  const replies = await repliesTo(run);
  const records = await eventually('all the news', async () => {
    const now = await open.records(run.id);
    return now.filter(({ is }) => is === 'done').length === sixty.length && now;
  });
  const events = await eventually('all the contradictions', async () => {
    const now = (await run.events()).filter((event) => event.type === 'late-outcome' && event.contradicts);
    return now.length === records.filter(({ is }) => is === 'settled').length && now;
  });
  const fates = sixty.map((order, at) => {
    const of = records.filter(({ key }) => key.intent === `pay:${order}`);
    const states = of.map(({ is }) => is).filter((is) => is === 'settled' || is === 'done');
    return { order, states, decided: said[at]!.is, told: replies[at]!.status };
  });
  for (const { order, states, decided, told } of fates) {
    const wordFirst = { order, states: ['settled', 'done'], decided: 'applied', told: 'failed' };
    const newsFirst = { order, states: ['done'], told: 'ok' };
    expect({ order, states, decided, told }).toMatchObject(states[0] === 'settled' ? wordFirst : newsFirst);
  }
  expect(events).toHaveLength(fates.filter(({ states }) => states[0] === 'settled').length);
});

test('a decision that comes while late news is read is refused, and its sender told what stands', async () => {
  let land: (value: unknown) => void = () => undefined;
  const { pay } = payTool({ timeout: '1s', execute: () => new Promise((resolve) => (land = resolve)) });
  let [isHeld, isReading] = [false, false];
  const { rig: open, run } = await start(
    { model: scriptedModel(askThenTell([pays('A')])), tools: [pay] },
    {
      grace: '1s',
      wrapLedger: (ledger) => ({
        ...ledger,
        async read(query) {
          if (isHeld && query.key) {
            isReading = true;
            await eventually('the decision to be taken in', () => !isHeld);
          }
          return ledger.read(query);
        },
      }),
    },
  );
  const { id } = await outcomeOf(run);
  isHeld = true;
  land('paid');
  await eventually('the news to be read', () => isReading);
  const deciding = run.resolveOutcome({ question: id, verdict: 'did-not-happen', override: true, ...ann });
  const handle = open.temporal.workflow.getHandle(run.id);
  await eventually('the decision to be taken in', async () =>
    (await handle.fetchHistory()).events?.some((event) => event.workflowExecutionUpdateAcceptedEventAttributes),
  );
  isHeld = false;
  expect(await repliesTo(run)).toMatchObject([{ status: 'ok', data: 'paid' }]);
  expect(await deciding).toMatchObject({ is: 'refused' });
});

test('ten approvals around a continue-as-new: each is applied or refused, and none is lost', async () => {
  const ten = orders(10);
  const { pay, seen } = payTool(asks);
  const { rig: open, run } = await start({
    model: scriptedModel(askThenTell(ten.map((order) => pays(order)))),
    tools: [pay],
  });
  const asked = await questionsOn(run, ten.length);
  const handle = open.temporal.workflow.getHandle(run.id);
  const first = (await handle.describe()).runId;
  const fill = (signals: number) =>
    Promise.all(Array.from({ length: signals }, () => handle.signal('lateOutcome', { call: 't9c0', claim: 'none' })));
  const approve = async (order: string) => {
    const decided = await run.decideApproval({ question: asked.get(order)!.id, verdict: 'approve', ...ann });
    return decided.is === 'refused' ? [order] : [];
  };
  // Near its bound first; then each of nine approvals comes with a piece of what takes it beyond.
  for (let batch = 0; batch < 18; batch++) await fill(100);
  const around = await Promise.all(ten.slice(0, 9).map(async (order) => (await fill(30), approve(order))));
  await fill(100);
  await eventually('the next execution', async () => (await handle.describe()).runId !== first, 30_000);
  const refused = [...around, await approve(ten[9]!)].flat();
  for (const order of refused) expect(await approve(order)).toEqual([]);
  expect((await repliesTo(run)).map(({ status }) => status)).toEqual(ten.map(() => 'ok'));
  expect(seen.map(({ input }) => input.order).sort()).toEqual([...ten].sort());
});
