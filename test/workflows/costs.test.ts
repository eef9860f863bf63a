import { afterEach, describe, expect, test } from '@jest/globals';
import { AgentClient } from '../../src/client/agent-client.ts';
import { requestsOf } from '../../src/policy/cost-of-calls.ts';
import { listen, sendJson, startGenerationServer, startModelServer } from '../../src/testing/index.ts';
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

  test('is corrected by what the provider says later, and is then its bill', async () => {
    const bill = await opened(
      startGenerationServer([{ id: 'gen-1', totalCost: 0.0042, promptTokens: 900, completionTokens: 30, notYet: 2 }]),
    );
    const provider = await opened(router(bill.url));
    const config = { providers: { openrouter: { baseURL: provider.url, apiKey: 'k' } } };
    const rig = await opened(openRig({ model: 'openrouter/v/m', tools: [] }, { config }));
    const run = await rig.client.start({ agent: 'tester', input: 'go' });
    expect(await run.result()).toMatchObject({ status: 'completed', text: 'yes' });
    const before = await rig.client.cost({ run: run.id });
    expect(before).toMatchObject([{ answer: { micros: 1_500, unknown: 0 }, spend: { micros: 1_500, unknown: 1 } }]);
    const pace = { waitsMs: [10, 20, 40, 80], forMs: 5_000 };
    const looking = {
      workflowId: `${run.id}/cost/t1`,
      taskQueue: rig.taskQueue,
      args: [{ run: run.id, call: 't1', pace }],
    };
    expect(await rig.temporal.workflow.execute('costLookUp', looking)).toBe(0);
    expect(bill.asked('gen-1')).toBe(3);
    expect(bill.asked('gen-2')).toBe(0);
    const [after] = await rig.client.cost({ run: run.id });
    expect(after).toMatchObject({
      unpriced: [],
      spend: { micros: 1_500 + 4_200, estimated: 0, unknown: 0, inputTokens: 1_000 },
    });
  });

  test('of a reply that nobody finds stays unknown, and the look-up ends', async () => {
    const bill = await opened(startGenerationServer());
    const provider = await opened(router(bill.url));
    const config = { providers: { openrouter: { baseURL: provider.url, apiKey: 'k' } } };
    const rig = await opened(openRig({ model: 'openrouter/v/m', tools: [] }, { config }));
    const run = await rig.client.start({ agent: 'tester', input: 'go' });
    await run.result();
    const pace = { waitsMs: [10], forMs: 25 };
    const looking = {
      workflowId: `${run.id}/cost/t1`,
      taskQueue: rig.taskQueue,
      args: [{ run: run.id, call: 't1', pace }],
    };
    expect(await rig.temporal.workflow.execute('costLookUp', looking)).toBe(1);
    expect(bill.asked('gen-1')).toBe(3);
    expect((await run.events()).at(-1)).toMatchObject({
      type: 'cost-not-found',
      responseId: 'gen-1',
      why: 'status 404',
    });
    expect(await rig.client.cost({ run: run.id })).toMatchObject([{ spend: { micros: 1_500, unknown: 1 } }]);
  });
});

/** OpenRouter: the first reply breaks off after two words, the second is whole and says what it cost; bills are asked for elsewhere. */
async function router(bills: string): Promise<{ readonly url: string; close(): Promise<void> }> {
  let requests = 0;
  return listen(async ({ method, path, query, headers }, response) => {
    if (method === 'GET') {
      const answer = await fetch(`${bills}${path}?${query.toString()}`, {
        headers: { authorization: String(headers.authorization) },
      });
      sendJson(response, answer.status, await answer.json());
      return;
    }
    const id = `gen-${++requests}`;
    const chunk = (more: object) =>
      `data: ${JSON.stringify({ id, object: 'chat.completion.chunk', created: 1, model: 'v/m', provider: 'P', ...more })}\n\n`;
    const delta = (content: string) =>
      chunk({ choices: [{ index: 0, delta: { role: 'assistant', content }, finish_reason: null }] });
    response.writeHead(200, { 'content-type': 'text/event-stream', 'x-generation-id': id });
    if (requests === 1) {
      response.write(delta('no ') + delta('way'), () => setTimeout(() => response.destroy(), 20));
      return;
    }
    const usage = { prompt_tokens: 100, completion_tokens: 5, total_tokens: 105, cost: 0.0015 };
    const finish = { choices: [{ index: 0, delta: { content: '' }, finish_reason: 'stop' }], usage };
    response.end(`${delta('yes')}${chunk(finish)}data: [DONE]\n\n`);
  });
}
