import { afterEach, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { defineTool } from '../../src/policy/define-tool.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';
import type { AskedCall, Conversation } from '../../src/testing/rule.ts';
import { openRig, type Rig } from '../support/rig.ts';
import { askThenTell, repliesOf } from '../support/rules.ts';

let rig: Rig;
afterEach(() => rig.close());

/** A tool that returns whatever the test wants, and counts how often it ran. */
async function runWith(
  returns: unknown,
  calls: readonly AskedCall[] = [{ tool: 'get', input: { n: 1 } }],
  effect: object = {},
) {
  let ran = 0;
  const get = defineTool({
    name: 'get',
    description: 'Gets.',
    input: z.object({ n: z.number(), pad: z.string().optional() }),
    timeout: '20s',
    ...effect,
    execute: () => {
      ran += 1;
      return typeof returns === 'function' ? (returns as () => Promise<unknown>)() : Promise.resolve(returns);
    },
  });
  const tell = ({ turn, results }: Conversation) =>
    turn === 0
      ? { calls }
      : {
          text: JSON.stringify(
            results.map(({ reply }) => ({
              ...(reply as object),
              data: JSON.stringify((reply as { data?: unknown }).data ?? null).length,
            })),
          ),
        };
  rig = await openRig({ model: scriptedModel(tell), tools: [get] });
  const run = await rig.client.start({ agent: 'tester', input: 'go' });
  return { result: await run.result(), ran, run };
}

describe('a result of an odd size or form is done, once, and told truly', () => {
  test('5 MB', async () => {
    const { result, ran } = await runWith({ text: 'x'.repeat(5_000_000) });
    expect(repliesOf(result.text)).toMatchObject([{ status: 'ok', data: 5_000_011 }]);
    expect(ran).toBe(1);
  });

  test('60 KB each, from 60 calls of one turn', async () => {
    const calls = Array.from({ length: 60 }, (_, n) => ({ tool: 'get', input: { n, pad: 'y'.repeat(60_000) } }));
    const { result, ran } = await runWith('x'.repeat(60_000), calls, { readOnly: true });
    expect(result.status).toBe('completed');
    expect(repliesOf(result.text).every(({ status, data }) => status === 'ok' && data === 60_002)).toBe(true);
    expect(ran).toBe(60);
  });

  const circular: Record<string, unknown> = {};
  circular['self'] = circular;
  test.each<[string, unknown]>([
    ['BigInt', { n: 10n }],
    ['circular', circular],
    ['a function', () => Promise.resolve(() => 1)],
  ])('%s: done, and the model is told that it could not be read', async (_, returns) => {
    const { result, ran } = await runWith(returns);
    expect(repliesOf(result.text)).toMatchObject([
      { status: 'ok', message: expect.stringContaining('could not be read') },
    ]);
    expect(ran).toBe(1);
  });

  test('undefined, NUL and lone surrogates', async () => {
    expect(repliesOf((await runWith(undefined)).result.text)).toMatchObject([{ status: 'ok' }]);
    await rig.close();
    expect(repliesOf((await runWith({ a: '\u0000', b: '\ud800' })).result.text)).toMatchObject([{ status: 'ok' }]);
  });

  test('10,000 levels deep', async () => {
    const deep = JSON.parse(`${'['.repeat(5_000)}${']'.repeat(5_000)}`) as unknown;
    const { result, ran } = await runWith({ deep });
    expect(repliesOf(result.text)).toMatchObject([{ status: 'ok' }]);
    expect(ran).toBe(1);
  });
});

test('an answer of 3 MB ends the run, cut, instead of wedging it', async () => {
  rig = await openRig({ model: scriptedModel(() => ({ text: 'x'.repeat(3_000_000) })), tools: [] });
  const result = await (await rig.client.start({ agent: 'tester', input: 'go' })).result();
  expect(result.text).toContain('cut here');
});

test('whatever a body throws is an unknown outcome of an unflagged tool, and a failed call of a reading one', async () => {
  const thrown = ['a string', null, undefined, 42, { message: 'plain' }];
  let at = 0;
  const read = defineTool({
    name: 'read',
    description: 'Reads.',
    input: z.object({ n: z.number() }),
    timeout: '5s',
    readOnly: true,
    // What a body throws is not ours to choose.
    // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors
    execute: () => Promise.reject(thrown[at++]),
  });
  const calls = thrown.map((_, n) => ({ tool: 'read', input: { n } }));
  rig = await openRig({ model: scriptedModel(askThenTell(calls)), tools: [read] });
  const result = await (await rig.client.start({ agent: 'tester', input: 'go' })).result();
  expect(repliesOf(result.text).map(({ status }) => status)).toEqual(thrown.map(() => 'failed'));
});
