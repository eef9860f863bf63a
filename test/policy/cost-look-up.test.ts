import { readFile } from 'node:fs/promises';
import { describe, expect, test } from '@jest/globals';
import type { RunEvent } from '../../src/contracts/events.ts';
import { missingCosts, waitBeforeLookUp } from '../../src/policy/cost-look-up.ts';
import { readGeneration } from '../../src/policy/read-generation.ts';
import { modelAttempt, started, UNKNOWN, used, type SampleRequest } from './cost-events.ts';

const waits = (pace?: Parameters<typeof waitBeforeLookUp>[1]): readonly number[] => {
  const all: number[] = [];
  for (let wait = waitBeforeLookUp(1, pace); wait !== undefined; wait = waitBeforeLookUp(all.length + 1, pace))
    all.push(wait);
  return all;
};

describe('when a provider is asked again', () => {
  test('after 15 s, 30 s, 1 min, every 2 min, and for the last time after 15 min', () => {
    const seconds = waits().map((ms) => ms / 1_000);
    expect(seconds).toEqual([15, 30, 60, 120, 120, 120, 120, 120, 120, 75]);
    expect(seconds.reduce((sum, wait) => sum + wait, 0)).toBe(900);
  });

  test('at another pace', () => {
    expect(waits({ waitsMs: [10, 20], forMs: 75 })).toEqual([10, 20, 20, 20, 5]);
    expect(waits({ waitsMs: [10], forMs: 10 })).toEqual([10]);
    expect(waits({ waitsMs: [10], forMs: 0 })).toEqual([]);
  });
});

describe('replies whose cost is missing', () => {
  const router = { account: 'openrouter', model: 'v/m' };
  const reply = { account: 'openrouter', responseId: 'gen-1' };
  const cut = { outcome: 'cut', usage: UNKNOWN } as const;
  const inEvents = (request: SampleRequest, ...more: readonly RunEvent[]) =>
    missingCosts([started(), ...modelAttempt({ outcome: 'failure', requests: [request] }), ...more]);

  test.each<[string, SampleRequest, boolean]>([
    ['one that broke off', { ...router, responseId: 'gen-1', end: cut }, true],
    ['one whose worker was lost', { ...router, responseId: 'gen-1' }, true],
    ['one that named itself only in its end', { ...router, end: { ...cut, responseId: 'gen-1' } }, true],
    ['a whole one without a figure', { ...router, end: { responseId: 'gen-1' } }, true],
    ['not one with a figure', { ...router, responseId: 'gen-1', end: { responseId: 'gen-1', costMicros: 0 } }, false],
    [
      'not one that was refused',
      { ...router, responseId: 'gen-1', end: { ...cut, responseId: 'gen-1', billed: 'no' } },
      false,
    ],
    ['not one without an id', { ...router, end: cut }, false],
    ['not one of a provider that cannot be asked', { account: 'openai', responseId: 'gen-1', end: cut }, false],
  ])('%s', (_, request, isMissing) => {
    expect(inEvents(request)).toEqual(isMissing ? [{ call: 't1', reply }] : []);
  });

  test('not one that was found, or given up', () => {
    const broken = { ...router, responseId: 'gen-1', end: cut };
    expect(inEvents(broken, { type: 'cost-found', at: 1, ...reply, costMicros: 1, usage: used(1, 1) })).toEqual([]);
    expect(inEvents(broken, { type: 'cost-not-found', at: 1, ...reply, why: 'status 404' })).toEqual([]);
  });

  test('each once', () => {
    const broken = { ...router, responseId: 'gen-1', end: { ...cut, responseId: 'gen-1' } };
    const events = modelAttempt({
      requests: [broken, { ...broken, responseId: 'gen-2', end: { ...cut, responseId: 'gen-2' } }],
    });
    expect(missingCosts([...events, ...events]).map(({ reply: { responseId } }) => responseId)).toEqual([
      'gen-1',
      'gen-2',
    ]);
  });
});

describe('the row of a generation', () => {
  test.each([-1, 1.5, Infinity, 1e300, '7', undefined])('%p is no count of tokens', (count) => {
    const data = { total_cost: 0, native_tokens_prompt: count, native_tokens_completion: 3 };
    expect(readGeneration({ data })?.usage).toEqual(used(null, 3));
  });

  test('as OpenRouter has it', async () => {
    const path = new URL('../fixtures/provider-failures/openrouter-generation-404-then-200.json', import.meta.url);
    const { responses } = JSON.parse(await readFile(path, 'utf8')) as { responses: { body: unknown }[] };
    expect(responses.map(({ body }) => readGeneration(body))).toEqual([
      undefined,
      undefined,
      { is: 'found', costMicros: 271, usage: used(120, 12, { cacheReadTokens: 64 }) },
    ]);
  });

  test.each<[string, unknown, number | undefined]>([
    ['free', { total_cost: 0 }, 0],
    ['with a key of one’s own', { total_cost: 0.0001, is_byok: true, upstream_inference_cost: 0.02 }, 20_100],
    [
      'with the provider’s part told apart',
      { total_cost: 0.02, is_byok: false, upstream_inference_cost: 0.02 },
      20_000,
    ],
    ['without a cost', { usage: 1 }, undefined],
    ['a cost that is none', { total_cost: -1 }, undefined],
    ['a cost beyond belief', { total_cost: 1e308 }, undefined],
    ['with a bill that is none on top', { total_cost: 1, is_byok: true, upstream_inference_cost: -1 }, undefined],
    ['with a bill beyond belief on top', { total_cost: 1, is_byok: true, upstream_inference_cost: 1e6 }, undefined],
    ['with no bill on top', { total_cost: 1, is_byok: true, upstream_inference_cost: null }, 1_000_000],
    ['a text', 'soon', undefined],
    ['nothing', null, undefined],
  ])('%s', (_, data, micros) => {
    expect(readGeneration({ data })?.costMicros).toBe(micros);
  });
});
