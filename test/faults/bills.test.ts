import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { eventsOf } from './model-rig.ts';
import type { RouterFault, RouterStory } from './router-peer.ts';
import { isKnown, openRouterRig, type RouterRig } from './router-rig.ts';

// Each row of group E: what a run says it has spent, beside the bill that the provider has kept by itself.
let rig: RouterRig;
let compatible: RouterRig;
beforeAll(async () => {
  const agent = { without: ['breaker'] } as const;
  [rig, compatible] = await Promise.all([openRouterRig(agent), openRouterRig({ ...agent, model: 'compatible/m' })]);
});
afterAll(() => Promise.all([rig.close(), compatible.close()]));

/** What is asked, and what is answered, come to so many tokens at the peer. */
const long =
  (text: string): RouterStory['decide'] =>
  () => ({ text });
const FORTY = 'word'.repeat(40);
const first =
  (requests: number, fault: RouterFault) =>
  (request: number): RouterFault | undefined =>
    request <= requests ? fault : undefined;

describe('what was spent is the bill of the provider', () => {
  test('where a stream failed in mid-flight: an unknown sum first, and exact once it was asked (E1)', async () => {
    const { run, owed, input } = await rig.play({ decide: long(FORTY), script: first(1, { cutAfter: 25 }) });
    const { spend, answerCost } = await run.result();
    const [cut, whole] = rig.peer.bill(input);
    expect([cut?.outputTokens, whole?.outputTokens]).toEqual([25, 40]);
    expect(spend.cost).toMatchObject({ micros: whole?.micros, requests: 2, unknown: 1 });
    expect(answerCost).toMatchObject({ micros: whole?.micros, requests: 1, unknown: 0 });
    expect((await rig.settled(run)).spend).toMatchObject({ micros: owed(), inputTokens: sumOf(rig, input) });
    expect(rig.peer.asked(cut?.id ?? '')).toBe(3);
    expect(rig.peer.asked(whole?.id ?? '')).toBe(0);
  });

  test('where a stream was called off after ten pieces (E2)', async () => {
    const { run, owed, input } = await rig.play({ decide: long(FORTY), script: first(1, { hangAfter: 10 }) });
    await eventually('the pieces', () => rig.peer.bill(input)[0]?.outputTokens === 10);
    await run.stop('now');
    const { status, spend } = await run.result();
    expect([status, spend.cost]).toMatchObject(['stopped', { micros: 0, requests: 1, unknown: 1 }]);
    expect((await rig.settled(run)).spend.micros).toBe(owed());
  });

  test('where three streams were cut before one was whole: all four (E3)', async () => {
    const { run, owed } = await rig.play({ decide: long(FORTY), script: first(3, { cutAfter: 3 }) });
    expect(await run.result()).toMatchObject({ status: 'completed', spend: { cost: { requests: 4, unknown: 3 } } });
    expect((await rig.settled(run)).spend).toMatchObject({ micros: owed(), requests: 4 });
  });

  test('where each of 340 pieces says how much it is so far: the last word counts (E4)', async () => {
    const story = { decide: long('word'.repeat(340)), script: first(1, { usage: 'cumulative' }) };
    const { run, owed } = await rig.play(story);
    const { spend } = await run.result();
    expect(spend).toMatchObject({ outputTokens: 340, cost: { micros: owed(), estimated: 0, unknown: 0 } });
  });

  test('where four requests were refused: only the fifth costs anything (E5)', async () => {
    const refused = { status: 429, headers: { 'retry-after-ms': '20' } };
    const { run, owed, input } = await rig.play({ script: first(4, refused) });
    const { spend } = await run.result();
    expect(rig.peer.arrivals(input)).toBe(5);
    expect(rig.peer.bill(input)).toHaveLength(1);
    expect(spend.cost).toMatchObject({ micros: owed(), requests: 5, estimated: 0, unknown: 0 });
  });

  test('where no usage came at all and nobody can be asked: never less than the bill, and marked (E6)', async () => {
    const { run, owed } = await compatible.play({ decide: long(FORTY), script: first(1, { usage: 'none' }) });
    const { spend } = await run.result();
    expect(spend).toMatchObject({ inputTokens: 0, outputTokens: 0, unmetered: 1 });
    expect(spend.cost).toMatchObject({ requests: 1, estimated: 1, unknown: 0 });
    expect(spend.cost?.micros).toBeGreaterThanOrEqual(owed());
    expect(spend.cost?.estimatedMicros).toBe(spend.cost?.micros);
    expect(await eventsOf(run, 'request-ended')).toMatchObject([{ usage: { inputTokens: null, outputTokens: null } }]);
    expect((await compatible.cost(run)).turns[0]?.calls[0]?.attempts[0]?.requests[0]?.cost).toMatchObject({
      is: 'estimate',
      how: expect.stringContaining('by characters') as unknown,
    });
  });

  test('where no usage came and the provider can be asked: exact (E6)', async () => {
    const { run, owed } = await rig.play({ decide: long(FORTY), script: first(1, { usage: 'none' }) });
    expect((await run.result()).answerCost).toMatchObject({ micros: 0, unknown: 1 });
    const { spend, answer } = await rig.settled(run);
    expect([spend.micros, answer.micros]).toEqual([owed(), owed()]);
  });

  test('where all five attempts failed: each counts once, and none doubles (E7)', async () => {
    const { run, owed, input } = await rig.play({ decide: long(FORTY), script: first(9, { cutAfter: 1 }) });
    expect(await run.result()).toMatchObject({ status: 'failed', spend: { cost: { requests: 5, unknown: 5 } } });
    expect((await rig.settled(run)).spend).toMatchObject({
      micros: owed(),
      requests: 5,
      inputTokens: sumOf(rig, input),
    });
  });
});

test('nothing is looked for where nothing is missing, or nobody can be asked', async () => {
  const whole = await rig.play({});
  const cut = await compatible.play({ decide: long(FORTY), script: first(1, { cutAfter: 5 }) });
  await Promise.all([whole.run.result(), cut.run.result()]);
  expect(isKnown((await rig.cost(whole.run)).spend)).toBe(true);
  expect((await compatible.cost(cut.run)).spend).toMatchObject({ estimated: 1, unknown: 0 });
  for (const { run } of [whole, cut]) {
    const { events } = await rig.temporal.workflow.getHandle(run.id).fetchHistory();
    expect(events?.filter((event) => event.startChildWorkflowExecutionInitiatedEventAttributes)).toEqual([]);
  }
});

/** Tokens that the peer has read of a run. */
const sumOf = ({ peer }: RouterRig, input: string): number =>
  peer.bill(input).reduce((sum, { inputTokens }) => sum + inputTokens, 0);
