import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import type { ToolContext, ToolMiddleware } from '../../src/contracts/tool.ts';
import { logToolCalls } from '../../src/middleware/log.ts';
import { toolCache } from '../../src/middleware/tool-cache.ts';
import { createWorkerLimits } from '../../src/middleware/worker-limits.ts';
import { admitTool } from '../../src/activities/admit-tool.ts';
import { wrapTool } from '../../src/policy/wrap-tool.ts';
import { defineTool } from '../../src/policy/define-tool.ts';
import { createVirtualClock } from '../../src/testing/virtual-clock.ts';
import { classify, Trouble } from './model-calls.ts';

const ctxOf = (changes: Partial<ToolContext> = {}) =>
  ({
    runId: 'r1',
    taskId: 't1',
    callId: 'c1',
    attempt: 1,
    signal: new AbortController().signal,
    ...changes,
  }) as ToolContext;

function countingTool(
  flags: { readOnly?: boolean; idempotent?: true | 'by-key' },
  answer: (n: number) => unknown = (n) => ({ n }),
) {
  let runs = 0;
  const tool = defineTool({
    name: 'look',
    description: 'Looks something up.',
    input: z.looseObject({}),
    timeout: '1s',
    ...flags,
    execute: async () => answer(++runs),
  });
  return { tool, runs: () => runs };
}

describe('a wrapped tool', () => {
  test('runs its middleware outermost first, and each gets the whole tool', async () => {
    const { tool } = countingTool({ idempotent: true });
    const seen: unknown[] = [];
    const tell =
      (name: string): ToolMiddleware =>
      (next) =>
      (request) => {
        seen.push([name, request.tool.name, request.tool.effect, request.input]);
        return next(request);
      };
    await wrapTool(tool, [tell('outer'), tell('inner')]).execute({ x: 1 }, ctxOf());
    expect(seen).toEqual([
      ['outer', 'look', 'idempotent', { x: 1 }],
      ['inner', 'look', 'idempotent', { x: 1 }],
    ]);
  });

  test.each([
    [{ idempotent: true }, 'read-only', 'idempotent'],
    [{}, 'read-only', 'unflagged'],
    [{ readOnly: true }, 'unflagged', 'unflagged'],
    [{ idempotent: true }, 'by-key', 'by-key'],
  ] as const)('%p handed on as %s is seen as %s: flags only get stricter', async (flags, handedOn, seen) => {
    const { tool } = countingTool(flags);
    const change: ToolMiddleware = (next) => (request) =>
      next({ ...request, tool: { ...request.tool, effect: handedOn } });
    let effect: string | undefined;
    const look: ToolMiddleware = (next) => (request) => {
      effect = request.tool.effect;
      return next(request);
    };
    const wrapped = wrapTool(tool, [change, look]);
    await wrapped.execute({}, ctxOf());
    expect(effect).toBe(seen);
    expect(wrapped.effect).toBe(tool.effect);
  });

  test('a cache under a middleware that calls a writing tool read-only still runs it each time', async () => {
    const { tool, runs } = countingTool({});
    const lie: ToolMiddleware = (next) => (request) =>
      next({ ...request, tool: { ...request.tool, effect: 'read-only' } });
    const wrapped = wrapTool(tool, [lie, toolCache()]);
    await wrapped.execute({}, ctxOf());
    await wrapped.execute({}, ctxOf());
    expect(runs()).toBe(2);
  });
});

describe('the tool cache', () => {
  test('gives a read-only tool’s answer again for the same arguments, in whatever order they are written', async () => {
    const { tool, runs } = countingTool({ readOnly: true });
    const wrapped = wrapTool(tool, [toolCache()]);
    const first = await wrapped.execute({ a: 1, b: [2, { c: 3 }] }, ctxOf());
    const second = (await wrapped.execute({ b: [2, { c: 3 }], a: 1 }, ctxOf({ callId: 'c2' }))) as { n: number };
    expect(second).toEqual(first);
    second.n = 99;
    expect(await wrapped.execute({ a: 1, b: [2, { c: 3 }] }, ctxOf())).toEqual({ n: 1 });
    expect(runs()).toBe(1);
  });

  test.each([
    ['another run', { runId: 'r2' }, { a: 1 }],
    ['other arguments', {}, { a: 2 }],
  ])('%s asks again', async (_, changes, input) => {
    const { tool, runs } = countingTool({ readOnly: true });
    const wrapped = wrapTool(tool, [toolCache()]);
    await wrapped.execute({ a: 1 }, ctxOf());
    await wrapped.execute(input, ctxOf(changes));
    expect(runs()).toBe(2);
  });

  test.each([[{}], [{ idempotent: true }], [{ idempotent: 'by-key' }]] as const)(
    'a tool with %p always runs',
    async (flags) => {
      const { tool, runs } = countingTool(flags);
      const wrapped = wrapTool(tool, [toolCache()]);
      await wrapped.execute({}, ctxOf());
      await wrapped.execute({}, ctxOf());
      expect(runs()).toBe(2);
    },
  );

  test('keeps no failure, nothing JSON cannot hold, nothing too long, and no more than it may', async () => {
    const failing = countingTool({ readOnly: true }, (n) => {
      if (n === 1) throw new Error('no');
      return n;
    });
    const wrapped = wrapTool(failing.tool, [toolCache()]);
    await expect(wrapped.execute({}, ctxOf())).rejects.toThrow('no');
    expect(await wrapped.execute({}, ctxOf())).toBe(2);
    expect(await wrapped.execute({}, ctxOf())).toBe(2);

    for (const answer of [new Date(0), undefined, 'x'.repeat(70_000)]) {
      const { tool, runs } = countingTool({ readOnly: true }, () => answer);
      const odd = wrapTool(tool, [toolCache()]);
      await odd.execute({}, ctxOf());
      await odd.execute({}, ctxOf());
      expect(runs()).toBe(2);
    }

    const { tool, runs } = countingTool({ readOnly: true }, () => 'x'.repeat(100));
    const small = wrapTool(tool, [toolCache({ maxChars: 400 })]);
    for (const a of [1, 2, 1, 3, 4, 2, 1]) await small.execute({ a }, ctxOf());
    // Three fit. 1 was used after 2, so 4 pushes out 2; asked again, 2 pushes out 1.
    expect(runs()).toBe(6);
  });
});

describe('the breaker of a tool', () => {
  function build(answer: (n: number) => unknown, flags = {}) {
    const clock = createVirtualClock();
    const limits = createWorkerLimits({ clock });
    const { tool, runs } = countingTool(flags, answer);
    const call = async (attempt = 1): Promise<unknown> => {
      const admission = await admitTool({ limits, dice: () => 0 }, tool, attempt);
      if (admission.is === 'held-back') return admission.failure;
      try {
        const result = await tool.execute({}, ctxOf({ attempt }));
        admission.report();
        return result;
      } catch (error) {
        admission.report(classify(error));
        return error;
      }
    };
    return { clock, limits, runs, call };
  }

  test('opens after 5 failures in any run; then nothing runs, and the error says so and when', async () => {
    const { call, runs, clock } = build(() => {
      throw new Trouble('transient', 503);
    });
    for (let n = 0; n < 7; n++) await call();
    expect(runs()).toBe(5);
    const refused = await call();
    expect(refused).toMatchObject({ kind: 'held-back', delivery: 'not-sent', waitMs: 20_000 });
    await clock.advance(20_000);
    await call();
    expect(runs()).toBe(6);
  });

  test('a definite no, or a bug, is not held against it', async () => {
    const { call, runs } = build(() => {
      throw new Trouble('permanent', 400);
    });
    for (let n = 0; n < 12; n++) await call();
    expect(runs()).toBe(12);
  });

  test('repeats nothing when most attempts fail, while first attempts still run', async () => {
    let ok = false;
    const { call, runs } = build(() => {
      if (!ok) throw new Trouble('transient');
      return 'ok';
    });
    for (let n = 0; n < 4; n++) await call();
    ok = true;
    await call();
    ok = false;
    for (let n = 0; n < 2; n++) await call();
    ok = true;
    expect(await call(2)).toMatchObject({ kind: 'held-back', message: expect.stringContaining('nothing is repeated') });
    expect(await call(1)).toBe('ok');
    expect(runs()).toBe(8);
  });
});

test('the log line of a tool has no arguments', async () => {
  const clock = createVirtualClock();
  const lines: unknown[] = [];
  const log = logToolCalls({ clock, log: (message, fields) => lines.push([message, fields]) });
  await clock.run(wrapTool(countingTool({ readOnly: true }).tool, [log]).execute({ secret: 1 }, ctxOf()));
  const about = { run: 'r1', call: 'c1', attempt: 1, tool: 'look', effect: 'read-only' };
  expect(lines).toEqual([['tool execution', { ...about, ms: 0, outcome: 'returned' }]]);
});
