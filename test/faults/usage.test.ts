import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { RunHandle } from '../../src/client/run-handle.ts';
import { eventually } from '../support/eventually.ts';
import { chunk, first, streamOf } from './model-peer.ts';
import { eventsOf, openModelRig, type ModelRig } from './model-rig.ts';

let rig: ModelRig;
beforeAll(async () => {
  rig = await openModelRig({ without: ['breaker'], limits: { modelAttempts: 6 } });
});
afterAll(() => rig.close());

const tokens = (input: number, output: number) => ({
  prompt_tokens: input,
  completion_tokens: output,
  total_tokens: input + output,
});
const UNKNOWN = { inputTokens: null, outputTokens: null };

/** What is on record of each request, once all of them have ended. */
async function endsOf(run: RunHandle, requests: number) {
  return eventually('every end', async () => {
    const ends = await eventsOf(run, 'request-ended');
    return ends.length === requests && ends;
  });
}

describe('what a request has used', () => {
  test('is not known where its stream broke off, which is not nothing; what it is asked for later by is kept (E1)', async () => {
    const { run } = await rig.play({ script: first(1, { cutAfterBytes: 700 }) });
    expect(await run.result()).toMatchObject({ status: 'completed' });
    const [broken, whole] = await endsOf(run, 2);
    expect(broken).toMatchObject({ usage: UNKNOWN, responseId: 'chatcmpl-1' });
    expect(broken?.outcome).not.toBe('whole');
    expect(whole).toMatchObject({ outcome: 'whole', responseId: 'chatcmpl-2' });
    expect(whole?.usage.inputTokens).toBeGreaterThan(0);
  });

  test('is not known of a request that was called off after some pieces (E2)', async () => {
    const pieces = Array.from({ length: 10 }, (_, n) => chunk({ role: 'assistant', content: `piece ${n} ` }));
    const stream = streamOf(...pieces);
    const { run, arrivals } = await rig.play({
      script: first(1, { ...stream, hang: true, cutAfterBytes: stream.body?.length ?? 0 }),
    });
    await eventually('the answer to begin', () => arrivals().length === 1);
    await run.stop('now');
    expect(await run.result()).toMatchObject({ status: 'stopped' });
    expect(await endsOf(run, 1)).toMatchObject([{ outcome: 'left', usage: UNKNOWN }]);
  });

  test('is on record for each, failed ones too, and that of the answer is counted once (E3, E7)', async () => {
    const { run, arrivals } = await rig.play({ script: first(3, { cutAfterBytes: 500 }) });
    const { spend } = await run.result();
    const ends = await endsOf(run, 4);
    expect(arrivals()).toHaveLength(4);
    expect(ends.map(({ attempt, outcome }) => [attempt, outcome === 'whole'])).toEqual([
      [1, false],
      [2, false],
      [3, false],
      [4, true],
    ]);
    expect(spend?.inputTokens).toBe(ends[3]?.usage.inputTokens);
    expect(spend?.outputTokens).toBe(ends[3]?.usage.outputTokens);
  });

  test('is what the last of its counters says, where each of 340 pieces carries the count so far (E4)', async () => {
    const pieces = Array.from({ length: 340 }, (_, n) => chunk({ content: 'x' }, null, tokens(143, n + 1)));
    const { run } = await rig.play({
      script: first(1, streamOf(...pieces, chunk({}, 'stop', tokens(143, 341)), '[DONE]')),
    });
    expect(await run.result()).toMatchObject({
      status: 'completed',
      spend: { inputTokens: 143, outputTokens: 341, unmetered: 0 },
    });
  });

  test('is nothing for a request that was refused: it says that it is not billed (E5)', async () => {
    const { run } = await rig.play({ script: first(4, { status: 429, headers: { 'retry-after-ms': '50' } }) });
    expect(await run.result()).toMatchObject({ status: 'completed' });
    const attempts = await eventsOf(run, 'attempt-ended');
    expect(attempts.map(({ failure }) => (failure as { billed?: string } | undefined)?.billed)).toEqual([
      'no',
      'no',
      'no',
      'no',
      undefined,
    ]);
    const counted = (await endsOf(run, 5)).filter(({ usage }) => usage.inputTokens !== null);
    expect(counted).toMatchObject([{ attempt: 5, outcome: 'whole' }]);
  });

  test('is not known, and counted as that, where the provider does not say (E6)', async () => {
    const { run } = await rig.play({
      script: first(1, streamOf(chunk({ role: 'assistant', content: 'done' }), chunk({}, 'stop'), '[DONE]')),
    });
    expect(await run.result()).toMatchObject({
      status: 'completed',
      spend: { inputTokens: 0, outputTokens: 0, unmetered: 1 },
    });
    expect(await endsOf(run, 1)).toMatchObject([{ outcome: 'whole', usage: UNKNOWN }]);
  });
});
