import { afterEach, expect, test } from '@jest/globals';
import type { Providers } from '../../src/contracts/agent.ts';
import { askCost } from '../../src/providers/ask-cost.ts';
import { startGenerationServer } from '../../src/testing/generation-server.ts';
import { listen, sendJson, type LocalServer } from '../../src/testing/local-server.ts';

const open: LocalServer[] = [];
const opened = async <Server extends LocalServer>(server: Promise<Server>): Promise<Server> => {
  const one = await server;
  open.push(one);
  return one;
};
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

const reply = { account: 'openrouter', responseId: 'gen-1' };
const at = (baseURL: string, apiKey: string | null = 'sk-test') => {
  const providers: Providers = { openrouter: { baseURL, ...(apiKey !== null && { apiKey }) } };
  return { providers, secretOf: () => undefined };
};

test('a row that is not there yet is asked for again, and found', async () => {
  const server = await opened(
    startGenerationServer([{ id: 'gen-1', totalCost: 0.000271, promptTokens: 120, completionTokens: 12, notYet: 2 }]),
  );
  const notYet = { is: 'not-yet', why: 'status 404' };
  const answers = [];
  for (let round = 0; round < 3; round++) answers.push(await askCost(reply, at(server.url)));
  expect(answers).toMatchObject([
    notYet,
    notYet,
    { is: 'found', costMicros: 271, usage: { inputTokens: 120, outputTokens: 12 } },
  ]);
  expect(server.asked('gen-1')).toBe(3);
});

test('the key goes into a header, the id into the address as it is', async () => {
  const heard: unknown[] = [];
  const server = await opened(
    listen(async ({ path, query, headers }, response) => {
      heard.push([path, query.get('id'), headers.authorization]);
      sendJson(response, 200, { data: { total_cost: 1 } });
    }),
  );
  await askCost({ ...reply, responseId: 'gen/1&x' }, at(`${server.url}/api/v1/`));
  expect(heard).toEqual([['/api/v1/generation', 'gen/1&x', 'Bearer sk-test']]);
});

test.each<[string, number, unknown, string]>([
  ['a provider that is down', 503, {}, 'status 503'],
  ['a key that is refused', 401, {}, 'status 401'],
  ['an answer without a cost', 200, { data: {} }, 'the answer has no cost'],
  ['no JSON', 200, undefined, 'the answer has no cost'],
])('%s is asked again later', async (_, status, body, why) => {
  const server = await opened(
    listen(async (_request, response) => {
      if (body === undefined) response.end('<html>');
      else sendJson(response, status, body);
    }),
  );
  expect(await askCost(reply, at(server.url))).toEqual({ is: 'not-yet', why });
});

test('nobody there, and no key, are no errors, and name no secret', async () => {
  const server = await startGenerationServer();
  await server.close();
  expect(await askCost(reply, at(server.url))).toEqual({ is: 'not-yet', why: 'it could not be reached' });
  expect(await askCost(reply, at(server.url, null))).toEqual({ is: 'not-yet', why: 'no key: set OPENROUTER_API_KEY' });
  expect(await askCost({ ...reply, account: 'openai' }, at(server.url))).toEqual({
    is: 'not-yet',
    why: 'openai cannot be asked',
  });
});
