import { afterEach, describe, expect, test } from '@jest/globals';
import { AgentClient } from '../../src/client/agent-client.ts';
import { requestsOf } from '../../src/policy/cost-of-calls.ts';
import { startModelServer } from '../../src/testing/index.ts';
import { openRouterRig } from '../faults/router-rig.ts';
import { eventually } from '../support/eventually.ts';
import { openRig, type Rig } from '../support/rig.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

async function opened<One extends { close(): Promise<void> }>(opening: Promise<One>): Promise<One> {
  const one = await opening;
  open.push(one);
  return one;
}

const clientOf = ({ settings, taskQueue }: Rig, prices = {}): Promise<AgentClient> =>
  opened(AgentClient.connect({ settings, taskQueue, prices }));

describe('the cost of a run', () => {
  test('has every attempt: one refused, one broken off, one whole, counted at the provider', async () => {
    const server = await opened(
      startModelServer({
        decide: () => ({ text: 'x'.repeat(400) }),
        faults: [
          { request: 1, status: 429 },
          { request: 2, cutAfterBytes: 700 },
        ],
      }),
    );
    const config = { providers: { compatible: { baseURL: server.url, apiKey: 'k' } } };
    const rig = await opened(openRig({ model: 'compatible/m', tools: [] }, { config }));
    const client = await clientOf(rig, { 'compatible/m': { input: 1, output: 10 } });
    const run = await rig.client.start({ agent: 'tester', input: 'go' });
    expect(await run.result()).toMatchObject({ status: 'completed' });
    const [cost] = await client.cost({ run: run.id });
    const [refused, broken, whole] = requestsOf(cost?.turns[0]?.calls ?? []);
    expect(refused?.cost).toEqual({ is: 'measured', micros: 0, by: 'refused' });
    expect(broken?.cost).toMatchObject({ is: 'estimate', how: expect.stringContaining('as in this run') as unknown });
    const { inputTokens, outputTokens } = whole?.usage ?? {};
    expect([inputTokens, outputTokens]).toEqual([expect.any(Number), 100]);
    expect(cost).toMatchObject({
      run: run.id,
      agent: 'tester',
      status: 'completed',
      answer: { micros: (inputTokens ?? 0) + 1_000, requests: 1, estimated: 0 },
      spend: { requests: 3, estimated: 1, unknown: 0 },
      unpriced: [],
    });
    expect((await client.cost({ since: Date.now() - 60_000, agent: 'tester' })).map((one) => one.run)).toContain(
      run.id,
    );
    expect(await client.cost({ run: 'nobody' })).toEqual([]);
    const [unpriced] = await rig.client.cost({ run: run.id });
    expect(unpriced).toMatchObject({ unpriced: ['compatible/m'], spend: { micros: 0, unknown: 2 } });
  });

  test('of a reply that nobody finds stays unknown, and the look-up ends', async () => {
    const pace = { waitsMs: [10], forMs: 25 };
    const rig = await opened(openRouterRig({}, { notYet: Infinity, costPace: pace }));
    const { run, input } = await rig.play({ script: (request) => (request === 1 ? { cutAfter: 1 } : undefined) });
    await run.result();
    const [cut, whole] = rig.peer.bill(input);
    await eventually('the end of the look-up', async () =>
      (await run.events()).some(({ type }) => type === 'cost-not-found'),
    );
    expect(rig.peer.asked(cut?.id ?? '')).toBe(3);
    expect((await run.events()).findLast(({ type }) => type === 'cost-not-found')).toMatchObject({
      responseId: cut?.id,
      why: 'status 404',
    });
    expect(await rig.cost(run)).toMatchObject({ spend: { micros: whole?.micros, unknown: 1 }, awaited: 0 });
    const execution = (await rig.temporal.workflow.getHandle(run.id).describe()).runId;
    const lookUp = rig.temporal.workflow.getHandle(`${run.id}/cost/t1/${execution.slice(-8)}`);
    expect(await lookUp.result()).toBe(1);
  });
});
