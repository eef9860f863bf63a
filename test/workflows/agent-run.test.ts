import { afterEach, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { defineTool } from '../../src/policy/define-tool.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';
import type { AskedCall } from '../../src/testing/rule.ts';
import { eventually } from '../support/eventually.ts';
import { openRig, type Rig } from '../support/rig.ts';
import { askThenTell, repliesOf } from '../support/rules.ts';

let rig: Rig | undefined;
afterEach(async () => {
  await rig?.close();
  rig = undefined;
});

const input = z.object({ order: z.string(), amount: z.number().optional() });

describe('a run', () => {
  test('carries a question through a tool to an answer', async () => {
    const read = defineTool({
      name: 'read',
      description: 'Reads.',
      input,
      readOnly: true,
      timeout: '5s',
      execute: ({ order }) => Promise.resolve({ order, total: 49 }),
    });
    rig = await openRig({
      model: scriptedModel(askThenTell([{ tool: 'read', input: { order: 'A' } }])),
      tools: [read],
    });
    const run = await rig.client.start({ agent: 'tester', input: 'How much was order A?' });
    const result = await run.result();
    expect(result).toMatchObject({ status: 'completed', open: [], taskId: run.id });
    expect(repliesOf(result.text)).toEqual([{ status: 'ok', data: { order: 'A', total: 49 } }]);
  });

  test('answers every call once and in call order, though they run in parallel and end in any order', async () => {
    let running = 0;
    let together = 0;
    const slow = defineTool({
      name: 'slow',
      description: 'Takes as long as it is told.',
      input: z.object({ ms: z.number(), fail: z.boolean().optional() }),
      readOnly: true,
      timeout: '5s',
      execute: async ({ ms, fail }) => {
        together = Math.max(together, ++running);
        await new Promise((resolve) => setTimeout(resolve, ms));
        running -= 1;
        if (fail) throw new Error('broken');
        return ms;
      },
    });
    const calls: AskedCall[] = [600, 100, 300].map((ms, at) => ({ tool: 'slow', input: { ms, fail: at === 1 } }));
    const wrong: AskedCall[] = [
      { tool: 'nonsense', input: {} },
      { tool: 'slow', input: { ms: 'many' } },
    ];
    rig = await openRig({ model: scriptedModel(askThenTell([...calls, ...wrong])), tools: [slow] });
    const run = await rig.client.start({ agent: 'tester', input: 'go' });
    const replies = repliesOf((await run.result()).text);
    expect(replies.map(({ status }) => status)).toEqual(['ok', 'failed', 'ok', 'failed', 'failed']);
    expect(replies.map(({ data }) => data)).toEqual([600, undefined, 300, undefined, undefined]);
    expect(replies[1]?.message).toContain('broken');
    expect(replies[3]?.message).toContain('no tool "nonsense"');
    expect(replies[4]?.message).toContain('ms:');
    expect(together).toBe(3);
  });

  test('joins the run that is running under its id instead of starting a second one', async () => {
    let count = 0;
    const slow = defineTool({
      name: 'slow',
      description: 'Slow.',
      input,
      readOnly: true,
      timeout: '5s',
      execute: async () => {
        count += 1;
        await new Promise((resolve) => setTimeout(resolve, 500));
        return count;
      },
    });
    rig = await openRig({
      model: scriptedModel(askThenTell([{ tool: 'slow', input: { order: 'A' } }])),
      tools: [slow],
    });
    const runId = `twice-${Date.now()}`;
    const [a, b] = await Promise.all([
      rig.client.start({ agent: 'tester', input: 'go', runId }),
      rig.client.start({ agent: 'tester', input: 'go', runId }),
    ]);
    expect([(await a.result()).text, (await b.result()).text]).toEqual([expect.any(String), expect.any(String)]);
    expect(count).toBe(1);
  });

  test('an unknown agent waits, visibly, for a worker that has it or says who it has', async () => {
    rig = await openRig({ model: scriptedModel(() => ({ text: 'hi' })), tools: [] });
    const run = await rig.client.start({ agent: 'nobody', input: 'go' });
    await expect(run.result()).rejects.toThrow('no agent "nobody". It has: tester');
  });
});

describe('an unflagged tool', () => {
  const unflagged = (execute: (attempt: number) => Promise<unknown>, timeout: '1s' | '20s' = '1s') =>
    defineTool({
      name: 'pay',
      description: 'Pays.',
      input,
      timeout,
      landsWithin: '60s',
      intent: ({ order }) => `pay:${order}`,
      execute: (_, ctx) => execute(ctx.attempt),
    });

  test('that times out is not repeated: the run waits, and late news settles it', async () => {
    let arrivals = 0;
    let land: (value: unknown) => void = () => undefined;
    const pay = unflagged(() => {
      arrivals += 1;
      return new Promise((resolve) => (land = resolve));
    });
    rig = await openRig({ model: scriptedModel(askThenTell([{ tool: 'pay', input: { order: 'A' } }])), tools: [pay] });
    const run = await rig.client.start({ agent: 'tester', input: 'go' });
    const waiting = await eventually('a question', async () => (await run.state())?.questions[0]);
    expect(waiting).toMatchObject({ tool: 'pay', key: { intent: 'pay:A', scope: `task:${run.id}` } });
    expect((await rig.client.inbox()).map(({ question }) => question.id)).toContain(waiting.id);
    land({ id: 're_1' });
    const result = await run.result();
    expect(repliesOf(result.text)).toEqual([{ status: 'ok', data: { id: 're_1' } }]);
    expect(arrivals).toBe(1);
    expect((await rig.records(run.id)).map(({ is }) => is)).toEqual(['claimed', 'unknown', 'done']);
  });

  test('that throws an error nobody named is unknown, and a person settles it once', async () => {
    const pay = unflagged(() => Promise.reject(new Error('socket hang up')));
    rig = await openRig({ model: scriptedModel(askThenTell([{ tool: 'pay', input: { order: 'A' } }])), tools: [pay] });
    const run = await rig.client.start({ agent: 'tester', input: 'go' });
    const { id, digest } = await eventually('a question', async () => (await run.state())?.questions[0]);
    const about = { question: id, by: 'ann', reason: 'looked' };
    const refused = [
      await run.resolveOutcome({ ...about, question: 'qnope', verdict: 'happened', result: null }),
      await run.resolveOutcome({ ...about, verdict: 'happened', result: null, digest: 'f00' }),
      await run.resolveOutcome({ ...about, verdict: 'happened' }),
      await run.resolveOutcome({ ...about, verdict: 'did-not-happen' }),
      await run.resolveOutcome({ ...about, verdict: 'maybe' as 'happened' }),
      await run.resolveOutcome({ ...about, verdict: 'reversed', reason: '' }),
    ];
    expect(refused.map((one) => (one.is === 'refused' ? one.why : one.is))).toEqual([
      expect.stringContaining(`no open question "qnope". Open: ${id}`),
      expect.stringContaining(digest),
      expect.stringContaining('needs "result"'),
      expect.stringContaining('may still land until'),
      expect.stringContaining('"maybe" is not a verdict'),
      expect.stringContaining('lacks reason'),
    ]);
    const happened = { ...about, verdict: 'happened', result: { id: 're_9' } } as const;
    expect(await run.resolveOutcome({ ...happened, digest })).toMatchObject({ is: 'applied', to: 'run' });
    expect(repliesOf((await run.result()).text)).toEqual([
      { status: 'ok', message: expect.stringContaining('ann'), data: { id: 're_9' } },
    ]);
  });

  test('is retried after a refusal that its own fetch saw, and after NotExecuted, because nothing happened', async () => {
    let arrivals = 0;
    const pay = unflagged((attempt) => {
      arrivals += 1;
      const error = new Error('not yet');
      error.name = 'NotExecuted';
      return attempt < 2 && arrivals < 3 ? Promise.reject(error) : Promise.resolve('paid');
    }, '20s');
    rig = await openRig({ model: scriptedModel(askThenTell([{ tool: 'pay', input: { order: 'A' } }])), tools: [pay] });
    const run = await rig.client.start({ agent: 'tester', input: 'go' });
    expect(repliesOf((await run.result()).text)).toEqual([{ status: 'ok', data: 'paid' }]);
    expect(arrivals).toBe(3);
    expect((await rig.records(run.id)).map(({ is }) => is)).toEqual([
      'claimed',
      'not-executed',
      'claimed',
      'not-executed',
      'claimed',
      'done',
    ]);
  });

  test('re-planned with another amount gets the recorded result and is told that the new amount was not applied', async () => {
    let arrivals = 0;
    const pay = unflagged(() => {
      arrivals += 1;
      return Promise.resolve({ amount: 49 });
    }, '20s');
    const calls = [
      [{ tool: 'pay', input: { order: 'A', amount: 49 } }],
      [{ tool: 'pay', input: { order: 'A', amount: 54.95 } }],
    ];
    rig = await openRig({ model: scriptedModel(askThenTell(...calls)), tools: [pay] });
    const run = await rig.client.start({ agent: 'tester', input: 'go' });
    const replies = repliesOf((await run.result()).text);
    expect(replies[1]).toMatchObject({
      status: 'ok',
      data: { amount: 49 },
      message: expect.stringContaining('NOT applied'),
    });
    expect(arrivals).toBe(1);
  });
});
