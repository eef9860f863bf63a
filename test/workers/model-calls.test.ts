import { describe, expect, test } from '@jest/globals';
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { collectAnswer } from '../../src/activities/collect-reply.ts';
import type { AgentDefinition } from '../../src/contracts/agent.ts';
import { AttemptTimeout } from '../../src/contracts/attempt-timeout.ts';
import { createWorkerLimits } from '../../src/middleware/index.ts';
import type { RequestEnd } from '../../src/middleware/index.ts';
import { defineAgent, defineConfig } from '../../src/policy/define-agent.ts';
import { MODEL_TIMES } from '../../src/policy/model-times.ts';
import { createVirtualClock } from '../../src/testing/virtual-clock.ts';
import { createModelCalls } from '../../src/workers/model-calls.ts';
import { FINISH, OPENING, idOf, requestTo, streamOf, textOf, type Script } from '../middleware/model-calls.ts';

/** An agent's composed call as the worker makes it, to one model that follows a script, in virtual time. */
async function askAgent(script: Script, changes: Partial<AgentDefinition> = {}) {
  const clock = createVirtualClock();
  const ends: RequestEnd['is'][] = [];
  const model: LanguageModelV4 = {
    specificationVersion: 'v4',
    provider: 'slow',
    modelId: 'm',
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('streams only')),
    doStream: ({ abortSignal = new AbortController().signal }) =>
      Promise.resolve({ stream: streamOf(script, clock, abortSignal) }),
  };
  const agent = defineAgent({ name: 'a', instructions: 'i', tools: [], model, ...changes });
  const limits = createWorkerLimits({ clock });
  const modelCallOf = createModelCalls({
    config: defineConfig({ agents: [agent] }),
    limits,
    limiterOf: () => undefined,
    meter: { started: () => undefined, ended: (_, { is }) => void ends.push(is) },
    clock,
    open: () => Promise.resolve(model),
  });
  const call = await modelCallOf(agent);
  const request = requestTo('m', { target: { account: 'slow', model: 'm', at: 0 } });
  const ask = async () => collectAnswer((await call(request)).stream);
  return { clock, ends, limits, ask };
}

describe('a model that is silent', () => {
  const PING = idOf('ping');

  test.each<[string, Script, number, string]>([
    ['from the beginning', ['hang'], MODEL_TIMES.firstContentMs, 'no piece of an answer within 180 s'],
    [
      'but for signs of life, which are no answer',
      [OPENING, 100_000, PING, 100_000, PING, 'hang'],
      MODEL_TIMES.firstContentMs,
      'no piece of an answer within 180 s',
    ],
    [
      'in the middle of its answer',
      [OPENING, 50_000, textOf('well'), 'hang'],
      50_000 + MODEL_TIMES.idleMs,
      'no further piece of the answer within 120 s',
    ],
  ])('%s is given up: a failure that is held against its provider', async (_, script, afterMs, why) => {
    const { clock, ends, limits, ask } = await askAgent(script);
    const { error } = await clock.run(ask().catch((thrown: unknown) => ({ error: thrown })));
    expect(error).toBeInstanceOf(AttemptTimeout);
    expect(String(error)).toContain(why);
    expect(clock.now()).toBe(afterMs);
    expect(ends).toEqual(['broken']);
    expect(await limits.snapshot('model:slow')).toMatchObject([{ failures: 1 }]);
  });

  test('for less than that is waited for, however long the whole of it takes', async () => {
    const pieces = Array.from({ length: 20 }, (): Script => [110_000, textOf('x')]).flat();
    const { clock, ends, ask } = await askAgent([OPENING, ...pieces, FINISH]);
    expect(await clock.run(ask())).toMatchObject({ text: 'x'.repeat(20) });
    expect(ends).toEqual(['whole']);
  });

  test('is waited for by an agent without patience', async () => {
    const { clock, ask } = await askAgent([OPENING, 500_000, textOf('yes'), FINISH], { without: ['patience'] });
    expect(await clock.run(ask())).toMatchObject({ text: 'yes' });
    expect(clock.now()).toBe(500_000);
  });
});

test('what the breaker refuses is not metered', async () => {
  const down = Object.assign(new Error('down'), { statusCode: 503 });
  const { clock, ends, ask } = await askAgent([down]);
  for (let n = 0; n < 8; n++) await clock.run(ask().catch(() => undefined));
  expect(ends).toHaveLength(5);
});
