import { once } from 'node:events';
import { afterEach, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import type { RunHandle } from '../../src/client/run-handle.ts';
import { ToolRefused, type Confirmation, type ToolContext, type ToolDefinition } from '../../src/contracts/tool.ts';
import { defineTool } from '../../src/policy/define-tool.ts';
import { listen, scriptedModel, type AskedCall } from '../../src/testing/index.ts';
import { eventually } from '../support/eventually.ts';
import { pays, payTool } from '../support/pay-tool.ts';
import { outcomeOf } from '../support/questions.ts';
import { openRig, type Rig, type RigOptions, type TestAgent } from '../support/rig.ts';
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

const input = z.object({ order: z.string() });
type Options = Partial<ToolDefinition<typeof input>>;
type Effect = keyof typeof FLAGS;
const FLAGS = {
  'read-only': { readOnly: true },
  idempotent: { idempotent: true },
  'by-key': { idempotent: 'by-key' },
  unflagged: { landsWithin: '60s' },
} as const satisfies Record<string, Options>;

/** A tool without a name for its actions, which does what the test says. */
const tool = (execute: (order: string, ctx: ToolContext) => Promise<unknown>, options: Options = {}) =>
  defineTool({
    name: 'act',
    description: 'Acts.',
    input,
    timeout: '20s',
    execute: ({ order }, ctx) => execute(order, ctx),
    ...options,
  });
const acts = (order: string): AskedCall => ({ tool: 'act', input: { order } });

async function start(agent: TestAgent, options: RigOptions = {}): Promise<{ rig: Rig; run: RunHandle }> {
  const rig = toClose(await openRig(agent, { grace: '1s', ...options }));
  return { rig, run: await rig.client.start({ agent: 'tester', input: 'go' }) };
}

const repliesTo = async (run: RunHandle) => repliesOf((await run.result()).text);
const never = () => new Promise(() => undefined);
const outcomesOf = async (run: RunHandle) =>
  (await run.events()).flatMap((event) =>
    event.type === 'attempt-ended' && event.kind === 'tool' ? [event.outcome] : [],
  );

describe('a call that fails', () => {
  test.each<[string, () => Promise<unknown>, Options]>([
    ['a reading tool throws', () => Promise.reject(new Error('nothing found')), FLAGS['read-only']],
    ['a writing tool says no', () => Promise.reject(new ToolRefused('nothing found')), {}],
    [
      'a writing tool whose throws prove that nothing happened',
      () => Promise.reject(new Error('nothing found')),
      { thrown: 'refused' },
    ],
  ])('is told to the model, and the run goes on: %s (F1)', async (_, execute, options) => {
    const { run } = await start({ model: scriptedModel(askThenTell([acts('A')])), tools: [tool(execute, options)] });
    const [reply] = await repliesTo(run);
    expect(reply).toMatchObject({ status: 'failed', message: expect.stringContaining('nothing found') });
  });

  test('leaves the other calls of its turn alone (F10)', async () => {
    const over = { failed: false };
    const act = tool(async (order) => {
      if (order === 'bad') throw new ToolRefused('no');
      await eventually('the other one to have failed', () => over.failed);
      return order;
    });
    const { rig, run } = await start({
      model: scriptedModel(askThenTell([acts('a'), acts('bad'), acts('b')])),
      tools: [act],
    });
    await eventually('the failure', async () => (await rig.records(run.id)).some(({ is }) => is === 'not-executed'));
    over.failed = true;
    expect((await repliesTo(run)).map(({ status, data }) => [status, data])).toEqual([
      ['ok', 'a'],
      ['failed', undefined],
      ['ok', 'b'],
    ]);
  });
});

describe('a call that outlives its time-out', () => {
  test.each<[Effect, string]>([
    ['read-only', 'unavailable'],
    ['idempotent', 'unavailable'],
  ])('%s: its attempt is told to end (F3)', async (effect, status) => {
    const ended: unknown[] = [];
    const act = tool(
      (_, { signal }) => {
        signal.addEventListener('abort', () => ended.push(signal.reason));
        return never();
      },
      { timeout: '1s', maxAttempts: 1, ...FLAGS[effect] },
    );
    const { run } = await start({ model: scriptedModel(askThenTell([acts('A')])), tools: [act] });
    expect(await repliesTo(run)).toMatchObject([{ status }]);
    await eventually('the end of the attempt', () => ended.length === 1);
    expect(await outcomesOf(run)).toEqual(['failure']);
  });

  test('unflagged: it is left to end, its late effect counts, and the same action asked again is not done again (F3)', async () => {
    let land: (value: unknown) => void = () => undefined;
    let isAborted = false;
    const { pay, seen } = payTool({
      timeout: '1s',
      landsWithin: '60s',
      onUnknown: 'tell-model',
      execute: (given, { idempotencyKey, signal }) => {
        seen.push({ key: idempotencyKey, input: given });
        signal.addEventListener('abort', () => (isAborted = true));
        return new Promise((resolve) => (land = resolve));
      },
    });
    const { run } = await start({ model: scriptedModel(askThenTell([pays('A')], [pays('A')])), tools: [pay] });
    await eventually('the second turn', async () => (await run.state())?.turn === 2);
    expect(isAborted).toBe(false);
    land('written');
    const [first, second] = await repliesTo(run);
    expect(first).toMatchObject({ status: 'pending' });
    expect(second).toMatchObject({ status: 'ok', data: 'written' });
    expect(seen).toHaveLength(1);
    expect(await outcomesOf(run)).toContain('unknown');
  });

  test('110 of them hold nobody up: another run gets its answer, and the worker still stops (F7)', async () => {
    const act = tool((order) => (order === 'quick' ? Promise.resolve('done') : never()), {
      timeout: '1s',
      maxAttempts: 1,
      ...FLAGS['read-only'],
    });
    const hanging = Array.from({ length: 110 }, (_, at) => acts(`o${at}`));
    const model = scriptedModel((talk) => askThenTell(talk.user === 'hang' ? hanging : [acts('quick')])(talk));
    // What the tool's breaker would say after so many time-outs is another test's.
    const config = { breaker: { failures: 1_000 } };
    const rig = toClose(await openRig({ model, tools: [act] }, { grace: '1s', config }));
    const held = await rig.client.start({ agent: 'tester', input: 'hang' });
    expect((await repliesTo(held)).every(({ status }) => status === 'unavailable')).toBe(true);
    const quick = await rig.client.start({ agent: 'tester', input: 'quick' });
    expect(await repliesTo(quick)).toMatchObject([{ status: 'ok', data: 'done' }]);
  });
});

describe('a run that is stopped at once', () => {
  test.each(Object.entries(FLAGS))(
    '%s: the request of a call in flight is aborted within a few beats (F4, F8)',
    async (_, flags) => {
      const requests: { closed: Promise<unknown> }[] = [];
      const { url } = toClose(
        await listen(async (_request, response) => {
          requests.push({ closed: once(response, 'close') });
          await never();
        }),
      );
      const act = tool((_order, ctx) => ctx.fetch(url, { method: 'POST' }), { timeout: '30s', ...flags });
      const { run } = await start({ model: scriptedModel(askThenTell([acts('A')])), tools: [act] });
      const request = await eventually('the request', () => requests[0]);
      const stoppedAt = performance.now();
      await run.stop('now');
      await request.closed;
      // A cancellation comes with the answer to a heartbeat, of which there are two a second. Half of this is a busy machine's.
      expect(performance.now() - stoppedAt).toBeLessThan(5_000);
      expect(await run.result()).toMatchObject({ status: 'stopped' });
      expect(requests).toHaveLength(1);
      expect(await outcomesOf(run)).not.toContain('success');
    },
  );

  test('while the model thinks: nothing it says afterwards is heard (F5)', async () => {
    const { pay, seen } = payTool();
    const asked: AbortSignal[] = [];
    const model = scriptedModel(askThenTell([pays('A')]), {
      delayMs: 20_000,
      onCall: ({ abortSignal }) => asked.push(abortSignal!),
    });
    const { rig, run } = await start({ model, tools: [pay] });
    const thinking = await eventually('the model to be asked', () => asked[0]);
    await run.stop('now', 'enough');
    expect(await run.result()).toMatchObject({ status: 'stopped', text: 'Stopped: enough', open: [] });
    await eventually('the model to be told', () => thinking.aborted);
    expect(await rig.client.get(run.id).result()).toMatchObject({ status: 'stopped' });
    expect([asked.length, seen.length]).toEqual([1, 0]);
  });

  test('while mail is sent: it says so, lists it, and takes the news when the mail has gone (F6)', async () => {
    let land: (value: unknown) => void = () => undefined;
    const { pay, seen } = payTool({
      timeout: '30s',
      landsWithin: '60s',
      execute: (given, ctx) => {
        seen.push({ key: ctx.idempotencyKey, input: given });
        return new Promise((resolve) => (land = resolve));
      },
    });
    const { rig, run } = await start({ model: scriptedModel(askThenTell([pays('A')])), tools: [pay] });
    await eventually('the call', () => seen.length === 1);
    await run.stop('now');
    expect(await run.result()).toMatchObject({ status: 'stopped', open: [{ kind: 'outcome', tool: 'pay' }] });
    const listed = async () => (await rig.client.inbox()).filter(({ question }) => question.run === run.id);
    expect(await listed()).toMatchObject([{ from: 'ledger', question: { tool: 'pay' } }]);
    land('sent');
    await eventually('the news', async () => (await listed()).length === 0);
    expect((await rig.records(run.id)).map(({ is }) => is)).toEqual(['claimed', 'unknown', 'done']);
    expect(seen).toHaveLength(1);
  });
});

test('a worker killed while the last of three calls hangs: the other two are kept, and only that one is in doubt (F12)', async () => {
  const batch = ['A', 'B', 'lost'].map((order) => pays(order, 1));
  const desk = toClose(await openDesk({ batches: [batch], needsApproval: false }));
  const worker = await desk.startWorker();
  const run = await desk.client.start({ agent: 'tester', input: 'go' });
  await eventually('two results, and the third effect', async () => {
    const done = (await desk.records(run.id)).filter(({ is }) => is === 'done');
    return done.length === 2 && desk.count().effects.length === 3;
  });
  await worker.kill();
  await desk.startWorker();
  const { id, key } = await outcomeOf(run);
  expect(key.intent).toBe('pay:lost');
  await run.resolveOutcome({ question: id, verdict: 'happened', result: 'seen', by: 'ann', reason: 'looked' });
  expect((await repliesTo(run)).map(({ status }) => status)).toEqual(['ok', 'ok', 'ok']);
  expect(desk.count().arrivals).toHaveLength(3);
});

interface LookUp {
  readonly is: string;
  readonly confirm: (asked: number) => Promise<Confirmation>;
  readonly options: Pick<ToolDefinition<never>, 'landsWithin' | 'afterConfirm'>;
  /** After so many look-ups the effect is there; `settled`: when the run has believed the look-up. */
  readonly lands: number | 'settled';
  readonly told: string;
}

describe('a look-up that does not know causes no second send (F41)', () => {
  const missing = () => Promise.resolve({ is: 'did-not-happen' } as const);
  const LOOK_UPS: readonly LookUp[] = [
    {
      is: 'down while the effect is on its way',
      confirm: () => Promise.reject(new Error('503 from the bank')),
      options: { landsWithin: '60s', afterConfirm: 'retry' },
      lands: 2,
      told: 'ok',
    },
    {
      is: 'without a trace of it while it is on its way',
      confirm: missing,
      options: { landsWithin: '60s', afterConfirm: 'retry' },
      lands: 2,
      told: 'ok',
    },
    {
      is: 'wrong about what lands later than its author said',
      confirm: missing,
      options: { landsWithin: '1s' },
      lands: 'settled',
      told: 'failed',
    },
  ];

  test.each(LOOK_UPS)('$is', async ({ confirm, options, lands, told }) => {
    let land: (value: unknown) => void = () => undefined;
    let asked = 0;
    const { pay, seen } = payTool({
      timeout: '1s',
      execute: (given, ctx) => {
        seen.push({ key: ctx.idempotencyKey, input: given });
        return new Promise((resolve) => (land = resolve));
      },
      confirm: () => confirm(++asked),
      ...options,
    });
    const { rig, run } = await start({ model: scriptedModel(askThenTell([pays('A')])), tools: [pay] });
    const has = async (is: string) => (await rig.records(run.id)).some((record) => record.is === is);
    await eventually('the time to land', () => (lands === 'settled' ? has('settled') : asked >= lands));
    land('paid');
    expect(await repliesTo(run)).toMatchObject([{ status: told }]);
    await eventually('the news', () => has('done'));
    expect(seen).toHaveLength(1);
    const news = await eventually('the news to be said', async () =>
      (await run.events()).find((event) => event.type === 'late-outcome'),
    );
    expect('contradicts' in news).toBe(lands === 'settled');
  });
});
