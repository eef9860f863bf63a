import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { defineAgent, defineConfig } from '../../src/policy/define-agent.ts';
import { defineTool } from '../../src/policy/define-tool.ts';
import type { Tool } from '../../src/contracts/tool.ts';

const right = {
  name: 'refund',
  description: 'Refunds an order.',
  input: z.object({ order: z.string(), amount: z.number().default(1) }),
  timeout: '30s' as const,
  execute: () => Promise.resolve('done'),
};

/** What a user without a type checker might write. */
const define = (change: object): Tool => defineTool({ ...right, ...change });

describe('a tool', () => {
  test('infers its input from the schema', () => {
    const tool = defineTool({
      ...right,
      intent: ({ order }) => `refund:${order.toUpperCase()}`,
      execute: ({ amount }) => Promise.resolve(amount.toFixed(2)),
    });
    expect(tool.intent?.({ order: 'a-1' })).toBe('refund:A-1');
    expect(tool.inputJsonSchema).toMatchObject({ type: 'object', properties: { order: { type: 'string' } } });
  });

  test.each([
    [{}, 'unflagged'],
    [{ readOnly: true }, 'read-only'],
    [{ idempotent: true }, 'idempotent'],
    [{ idempotent: 'by-key' }, 'by-key'],
    [{ readOnly: true, idempotent: true }, 'read-only'],
  ])('with %j is %s', (flags, effect) => {
    expect(define(flags).effect).toBe(effect);
  });

  test.each<[string, object, string]>([
    ['no timeout', { timeout: undefined }, `Tool "refund" has no timeout. Add e.g. timeout: '30s'`],
    ['a timeout nobody can read', { timeout: 'soon' }, `Tool "refund": timeout is "soon", which is not a duration`],
    ['a timeout of zero', { timeout: 0 }, 'timeout is 0'],
    ['a negative timeout', { timeout: -1 }, 'timeout is -1'],
    ['an endless timeout', { timeout: Infinity }, 'timeout is null'],
    ['no name', { name: '' }, 'Tool name "" cannot be used'],
    ['a name no provider takes', { name: 'refund order' }, 'Tool name "refund order" cannot be used'],
    ['a name of ours', { name: 'check_outcome' }, 'taken by Holdfast'],
    ['no description', { description: ' ' }, 'has no description'],
    ['no execute', { execute: undefined }, 'has no execute(input, ctx)'],
    ['no schema', { input: undefined }, 'not a Standard Schema'],
    ['a plain object for a schema', { input: { order: 'string' } }, 'not a Standard Schema'],
    ['a schema that is no object', { input: z.string() }, 'input must be an object'],
    ['readOnly with intent', { readOnly: true, intent: () => 'x' }, 'readOnly and has intent'],
    ['readOnly with landsWithin', { readOnly: true, landsWithin: '1m' }, 'readOnly and has landsWithin'],
    ['readOnly with onUnknown', { readOnly: true, onUnknown: 'wait' }, 'readOnly and has onUnknown'],
    ['no attempts', { maxAttempts: 0 }, 'maxAttempts is 0. It counts the first attempt'],
    ['half an attempt', { maxAttempts: 1.5 }, 'maxAttempts is 1.5'],
    ['a misspelt flag value', { idempotent: 'bykey' }, 'idempotent is "bykey". Write true or "by-key"'],
    ['a misspelt onUnknown', { onUnknown: 'tell' }, 'onUnknown is "tell". Write "wait" or "tell-model"'],
    ['a misspelt option', { time_out: '3s' }, 'no option "time_out"'],
  ])('with %s is refused when defined', (_, change, message) => {
    expect(() => define(change)).toThrow(message);
  });
});

describe('an agent', () => {
  const tool = define({});
  const agent = { name: 'support', instructions: 'Help.', model: 'compatible/m', tools: [tool] };

  test.each<[string, object, string]>([
    ['two tools of one name', { tools: [tool, tool] }, 'Agent "support" has two tools named "refund"'],
    ['no model', { model: undefined }, 'Write "provider/model"'],
    ['a model without provider', { model: 'gpt' }, 'model is "gpt"'],
    ['no instructions', { instructions: undefined }, 'has no instructions'],
    ['no turns', { limits: { turns: 0 } }, 'limits.turns is 0'],
    ['a deadline nobody can read', { limits: { deadline: '10 minutes' } }, 'limits.deadline is "10 minutes"'],
    ['something that is no tool', { tools: [{ name: 'x' }] }, 'defineTool'],
  ])('with %s is refused when defined', (_, change, message) => {
    expect(() => defineAgent({ ...agent, ...change })).toThrow(message);
  });

  test.each<[string, object, string]>([
    ['no agents', { agents: [] }, 'has no agents'],
    ['two agents of one name', { agents: [defineAgent(agent), defineAgent(agent)] }, 'two agents named "support"'],
    ['something that is no agent', { agents: [{ name: 'x' }] }, 'defineAgent'],
  ])('a configuration with %s is refused when defined', (_, config, message) => {
    expect(() => defineConfig(config as Parameters<typeof defineConfig>[0])).toThrow(message);
  });
});
