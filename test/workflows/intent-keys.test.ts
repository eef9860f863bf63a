import { afterEach, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { wireKey } from '../../src/activities/digest.ts';
import type { Schema, ToolDefinition } from '../../src/contracts/tool.ts';
import { defineTool } from '../../src/policy/define-tool.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';
import { pays, payTool } from '../support/pay-tool.ts';
import { openRig, type Rig } from '../support/rig.ts';
import { askThenTell, repliesOf } from '../support/rules.ts';

let rig: Rig | undefined;
afterEach(async () => {
  delete process.env['HOLDFAST_KEY_SECRETS'];
  await rig?.close();
  rig = undefined;
});

const connectionLost = () => Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });

const SECRET_ONE = 'one-'.repeat(10);
const SECRET_TWO = 'two-'.repeat(10);

describe('keys made with a secret', () => {
  test('no receiver can work them out; a rotated secret serves new actions, and an old action keeps its own', async () => {
    let answers = 0;
    const { pay, seen } = payTool({
      idempotent: 'by-key',
      maxAttempts: 2,
      execute: (given, ctx) => {
        seen.push({ key: ctx.idempotencyKey, input: given });
        return answers++ === 0 ? Promise.reject(connectionLost()) : Promise.resolve('paid');
      },
    });
    process.env['HOLDFAST_KEY_SECRETS'] = `k1:${SECRET_ONE}`;
    rig = await openRig(
      { model: scriptedModel(askThenTell([pays('A')], [pays('B')])), tools: [pay] },
      { worker: 'later' },
    );
    const first = await rig.startWorker();
    const run = await rig.client.start({ agent: 'tester', input: 'go', taskId: 'ticket' });
    expect(repliesOf((await run.result()).text)).toMatchObject([{ status: 'ok' }, { status: 'ok' }]);
    const key = { namespace: 'default', scope: 'task:ticket', intent: 'pay:A' };
    const [once, again] = seen;
    expect(once?.key).toBe(wireKey(key, 1, SECRET_ONE));
    expect(once?.key).not.toBe(wireKey(key, 1));
    expect(again?.key).toBe(once?.key);
    await first.stop();
    const claims = (await rig.records(run.id)).filter((record) => record.is === 'claimed');
    expect(new Set(claims.map(({ secret }) => secret))).toEqual(new Set(['k1']));
  });

  test('an action that was begun with a secret the worker lacks is not sent under another key', async () => {
    const keys: string[] = [];
    const { pay } = payTool({
      idempotent: 'by-key',
      timeout: '1s',
      totalTimeout: '45s',
      execute: (_, ctx) => {
        keys.push(ctx.idempotencyKey);
        return keys.length === 1 ? Promise.reject(connectionLost()) : Promise.resolve('paid');
      },
    });
    process.env['HOLDFAST_KEY_SECRETS'] = `k1:${SECRET_ONE}`;
    rig = await openRig({ model: scriptedModel(askThenTell([pays('A')])), tools: [pay] }, { worker: 'later' });
    const first = await rig.startWorker();
    const run = await rig.client.start({ agent: 'tester', input: 'go' });
    while (keys.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await first.stop();
    const sentByFirst = keys.length;
    process.env['HOLDFAST_KEY_SECRETS'] = `k2:${SECRET_TWO}`;
    const second = await rig.startWorker();
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    expect(keys).toHaveLength(sentByFirst);
    await second.stop();
    process.env['HOLDFAST_KEY_SECRETS'] = `k2:${SECRET_TWO},k1:${SECRET_ONE}`;
    await rig.startWorker();
    expect(repliesOf((await run.result()).text)).toMatchObject([{ status: 'ok' }]);
    expect(new Set(keys).size).toBe(1);
  });
});

/** Tools of a user: what counts as the same action is what their schema and `intent` make of the arguments. */
const money = z.union([z.number(), z.string()]).transform((value, context) => {
  const amount = Number(value);
  if (!Number.isFinite(amount)) context.addIssue({ code: 'custom', message: 'no amount' });
  return Math.round(amount * 100);
});
const refundInput = z.object({ order: z.string().trim().toUpperCase(), amount: money, to: z.string().optional() });

describe('"same arguments" is decided on what the schema gives', () => {
  /** Asks for each text in turn and returns how often the body ran: equal calls of an unnamed intent run each time. */
  async function digestsOf(inputs: readonly unknown[]): Promise<readonly string[]> {
    const tool = defineTool({
      name: 'refund',
      description: 'Refunds.',
      input: refundInput as unknown as Schema,
      timeout: '2s',
      idempotent: true,
      execute: () => Promise.resolve('ok'),
    } satisfies ToolDefinition<Schema>);
    rig = await openRig({
      model: scriptedModel(askThenTell(inputs.map((input) => ({ tool: 'refund', input: input as never })))),
      tools: [tool],
    });
    const run = await rig.client.start({ agent: 'tester', input: 'go' });
    await run.result();
    const claims = (await rig.records(run.id)).filter((record) => record.is === 'claimed');
    return claims.sort((a, b) => a.call.localeCompare(b.call)).map(({ digest }) => digest);
  }

  test('49, 49.0 and "49.00", key order, case and Unicode forms are one; another amount or recipient is another', async () => {
    const same = [
      { order: 'A-1', amount: 49 },
      { amount: 49.0, order: 'A-1' },
      { order: ' a-1 ', amount: '49.00' },
      { order: 'A-1', amount: '4.9e1' },
    ];
    const forms = [
      { order: 'B', amount: 1, to: 'Zoë' },
      { to: 'Zoe\u0308', order: 'B', amount: 1 },
    ];
    const others = [
      { order: 'A-1', amount: 49.01 },
      { order: 'А-1', amount: 49 },
      { order: 'A-1', amount: 49, to: 'x' },
    ];
    const digests = await digestsOf([...same, ...forms, ...others]);
    expect(digests).toHaveLength(9);
    expect(new Set(digests.slice(0, 4)).size).toBe(1);
    expect(new Set(digests.slice(4, 6)).size).toBe(1);
    expect(new Set(digests).size).toBe(5);
  });
});
