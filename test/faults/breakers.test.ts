import { afterEach, describe, expect, test } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { chunk, first, streamOf, type Script } from './model-peer.ts';
import { eventsOf, openModelRig, type ModelRig } from './model-rig.ts';

const open: ModelRig[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});
const openRig = async (...given: Parameters<typeof openModelRig>) => {
  const rig = await openModelRig(...given);
  open.push(rig);
  return rig;
};

const circuitOf = async (rig: ModelRig) => (await rig.client.limits())[0]?.limits[0]?.circuit;
const isParked = async (run: Awaited<ReturnType<ModelRig['play']>>['run']) =>
  (await run.state())?.waitingFor.includes('provider');

describe('a provider that fails every request', () => {
  test('gets five, from however many runs, and then none (K4)', async () => {
    const rig = await openRig({}, { breaker: { pause: '10m', spread: '1ms' } });
    const broken = { script: first(99, { status: 500 }) };
    const early = await Promise.all([1, 2, 3].map(() => rig.play(broken)));
    await Promise.all(early.map(({ run }) => eventually('the park', () => isParked(run), 40_000)));
    const sent = () => early.reduce((sum, { arrivals }) => sum + arrivals().length, 0);
    expect(sent()).toBe(5);
    expect(await eventually('the breaker to be shown', async () => (await circuitOf(rig)) === 'open')).toBe(true);
    const late = await Promise.all([1, 2, 3].map(() => rig.play(broken)));
    await Promise.all(late.map(({ run }) => eventually('the park', () => isParked(run))));
    expect(late.flatMap(({ arrivals }) => arrivals())).toEqual([]);
    expect(sent()).toBe(5);
  });

  test('is probed once a pause by one of those who wait, and all go on when it answers (K1, K2, K3)', async () => {
    const pauseMs = 2_000;
    const rig = await openRig({}, { breaker: { failures: 2, pause: '2s', spread: '500ms' } });
    const down = { is: true };
    const plays = await Promise.all(
      Array.from({ length: 10 }, () => rig.play({ script: () => (down.is ? { status: 503 } : undefined) })),
    );
    const arrivals = () => plays.flatMap((play) => play.arrivals()).sort((a, b) => a.at - b.at);
    await Promise.all(plays.map(({ run }) => eventually('the park', () => isParked(run), 40_000)));
    const before = arrivals().length;
    const probes = await eventually('three probes', () => {
      const since = arrivals().slice(before);
      return since.length >= 3 && since;
    });
    down.is = false;
    for (const { run } of plays) expect(await run.result()).toMatchObject({ status: 'completed', text: 'done' });
    const gaps = probes.slice(1).map(({ at }, n) => at - (probes[n]?.at ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(pauseMs - 100);
    expect(await eventually('the breaker to be closed', async () => (await circuitOf(rig)) === 'closed')).toBe(true);
    // The answers, and of the failures only those that were no probes, count as attempts.
    for (const { run } of plays) {
      const ends = await eventsOf(run, 'attempt-ended');
      expect(ends.at(-1)?.outcome).toBe('success');
      expect(ends.at(-1)?.attempt).toBeLessThanOrEqual(3);
      // However often it was parked, history holds it once.
      expect(await eventsOf(run, 'call-waits')).toHaveLength(1);
    }
  });
});

test('what a call had sent before it was parked counts when it comes back', async () => {
  // Longer than our own wait before the third attempt can be: it comes while the breaker is open.
  const rig = await openRig({ limits: { modelAttempts: 3 } }, { breaker: { failures: 2, pause: '3s', spread: '1ms' } });
  // Two failures open the breaker; the probe finds the provider, and breaks off in the middle of its answer.
  const cut = streamOf(chunk({ role: 'assistant', content: 'well' }));
  const script: Script = (request) => (request <= 2 ? { status: 503 } : request === 3 ? cut : undefined);
  const { run, arrivals } = await rig.play({ script });
  expect(await run.result()).toMatchObject({ status: 'failed', text: expect.stringContaining('attempts are used up') });
  expect((await eventsOf(run, 'request-sent')).map(({ attempt, reason }) => [attempt, reason])).toEqual([
    [1, 'first'],
    [2, 'retry'],
    [3, 'after-park'],
  ]);
  expect(arrivals()).toHaveLength(3);
});

test('bad requests of one agent say nothing about the provider: others are served', async () => {
  const rig = await openRig({}, { breaker: { failures: 2, pause: '10m', spread: '1ms' } });
  const error = { type: 'invalid_request_error', message: 'tools[0] has no name' };
  const bad = { script: first(99, { status: 400, body: JSON.stringify({ error }) }) };
  for (let n = 0; n < 6; n++) expect(await (await rig.play(bad)).run.result()).toMatchObject({ status: 'failed' });
  expect(await (await rig.play({})).run.result()).toMatchObject({ status: 'completed' });
});

test('an account without credit costs each run one request and opens no breaker: it is for people to mend (K5)', async () => {
  const rig = await openRig({}, { breaker: { failures: 2, pause: '10m', spread: '1ms' } });
  const error = { type: 'invalid_request_error', message: 'Your credit balance is too low to access the API.' };
  const empty = first(99, { status: 400, body: JSON.stringify({ error }) });
  for (let n = 0; n < 4; n++) {
    const { run, arrivals } = await rig.play({ script: empty });
    expect(await run.result()).toMatchObject({ status: 'failed', text: expect.stringContaining('credit balance') });
    expect(arrivals()).toHaveLength(1);
  }
});
