import { afterEach, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import type { Confirmation, ToolContext, ToolDefinition } from '../../src/contracts/tool.ts';
import { defineTool } from '../../src/policy/define-tool.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';
import type { AskedCall } from '../../src/testing/rule.ts';
import { eventually } from '../support/eventually.ts';
import { outcomeOf } from '../support/questions.ts';
import { openRig, type Rig } from '../support/rig.ts';
import { askThenTell, repliesOf } from '../support/rules.ts';

let rig: Rig;
afterEach(() => rig.close());

const input = z.object({ order: z.string() });
const PAY: AskedCall = { tool: 'pay', input: { order: 'A' } };

/** A tool whose first body loses its answer, and a look-up that says what the test wants. */
function payTool(
  confirm: (asked: number, ctx: ToolContext) => Promise<unknown>,
  options: Partial<ToolDefinition<typeof input>> = {},
) {
  const seen = { sent: 0, asked: 0 };
  const pay = defineTool({
    name: 'pay',
    description: 'Pays.',
    input,
    timeout: '1s',
    landsWithin: '1s',
    intent: ({ order }) => `pay:${order}`,
    execute: () => {
      seen.sent += 1;
      return seen.sent === 1 ? Promise.reject(new Error('connection reset')) : Promise.resolve('paid again');
    },
    confirm: (_, ctx) => confirm(++seen.asked, ctx) as Promise<Confirmation>,
    ...options,
  });
  return { pay, seen };
}

async function startWith(pay: ReturnType<typeof payTool>['pay'], ...turns: AskedCall[][]) {
  rig = await openRig({ model: scriptedModel(askThenTell(...(turns.length > 0 ? turns : [[PAY]]))), tools: [pay] });
  return rig.client.start({ agent: 'tester', input: 'go' });
}

const is = <T extends Confirmation>(confirmation: T) => Promise.resolve(confirmation);

describe("a tool's own look-up", () => {
  test('"happened" settles the question at once, with its result', async () => {
    const { pay, seen } = payTool(() => is({ is: 'happened', result: { id: 're_1' } }));
    const run = await startWith(pay);
    expect(repliesOf((await run.result()).text)).toMatchObject([{ status: 'ok', data: { id: 're_1' } }]);
    expect(seen).toEqual({ sent: 1, asked: 1 });
    const settled = (await rig.records(run.id)).find((record) => record.is === 'settled');
    expect(settled).toMatchObject({ decision: { settledBy: 'confirm', by: 'look-up of pay' } });
  });

  test('"did not happen" counts only after the horizon, tells the model, and sends nothing', async () => {
    const { pay, seen } = payTool(() => is({ is: 'did-not-happen' }));
    const run = await startWith(pay);
    const { horizon } = await outcomeOf(run);
    expect(repliesOf((await run.result()).text)).toMatchObject([{ status: 'failed', retryable: true }]);
    const settled = (await rig.records(run.id)).find((record) => record.is === 'settled');
    expect(settled?.at).toBeGreaterThanOrEqual(horizon);
    expect(seen.sent).toBe(1);
  });

  test('afterConfirm: retry makes the call once more, after the horizon', async () => {
    const { pay, seen } = payTool(() => is({ is: 'did-not-happen' }), { afterConfirm: 'retry' });
    const run = await startWith(pay);
    expect(repliesOf((await run.result()).text)).toMatchObject([{ status: 'ok', data: 'paid again' }]);
    expect(seen.sent).toBe(2);
  });

  test('"not there" while the effect is on its way never causes a second send', async () => {
    const { pay, seen } = payTool((asked) => is(asked < 3 ? { is: 'did-not-happen' } : { is: 'happened', result: 1 }), {
      landsWithin: '60s',
      afterConfirm: 'retry',
    });
    const run = await startWith(pay);
    expect(repliesOf((await run.result()).text)).toMatchObject([{ status: 'ok', data: 1 }]);
    expect(seen).toEqual({ sent: 1, asked: 3 });
  });

  test.each<[string, (asked: number, ctx: ToolContext) => Promise<unknown>, string]>([
    ['is down', () => Promise.reject(new Error('503 from the bank')), '503 from the bank'],
    ['cannot tell', () => is({ is: 'cannot-tell', why: 'the bank is closed' }), 'the bank is closed'],
    ['answers nonsense', () => Promise.resolve('maybe'), 'no answer'],
    ['answers nothing', () => Promise.resolve(undefined), 'no answer'],
    ['never answers', () => new Promise(() => undefined), 'no answer in time'],
    ['writes', (_, ctx) => ctx.fetch('http://127.0.0.1:9/refunds', { method: 'POST' }), 'not sent'],
  ])('that %s leaves the question to a person, and says so', async (_, confirm, said) => {
    const { pay, seen } = payTool(confirm);
    const run = await startWith(pay);
    const question = await eventually('what the look-up said', async () => {
      const [asked] = (await run.state())?.questions ?? [];
      return asked?.known.some((line) => line.includes(said)) && asked;
    });
    await run.resolveOutcome({
      question: question.id,
      verdict: 'happened',
      result: 'seen',
      by: 'ann',
      reason: 'looked',
    });
    expect(repliesOf((await run.result()).text)).toMatchObject([{ status: 'ok', data: 'seen' }]);
    expect(seen.sent).toBe(1);
  });
});
