import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { defineTool } from '../../src/policy/define-tool.ts';
import { listen, sendJson } from '../../src/testing/local-server.ts';
import { runTool } from '../../src/testing/run-tool.ts';
import { toolContext } from '../../src/testing/tool-context.ts';

const pay = defineTool({
  name: 'pay',
  description: 'Pays.',
  input: z.object({ to: z.string().trim(), amount: z.number().positive() }),
  output: z.object({ id: z.string() }),
  timeout: '5s',
  execute: async ({ to, amount }, ctx) => {
    ctx.heartbeat('paying');
    ctx.log.info('paying', { to });
    const response = await ctx.fetch(`http://pay.test/${to}`, { method: 'POST', body: String(amount) });
    return response.json();
  },
});

test('a tool runs by itself, and the context tells what it sent and said', async () => {
  const context = toolContext({ idempotencyKey: 'k', fetch: async () => Response.json({ id: 'p1' }) });
  expect(await runTool(pay, { to: ' ann ', amount: 5 }, context)).toEqual({ id: 'p1' });
  const headers = expect.objectContaining({ 'idempotency-key': 'k' }) as unknown;
  expect(context.requests).toEqual([{ method: 'POST', url: 'http://pay.test/ann', headers, body: '5', answer: 200 }]);
  expect(context).toMatchObject({ heartbeats: ['paying'], logged: ['paying'], attempt: 1 });
});

test('arguments that do not fit never reach the tool', async () => {
  const context = toolContext();
  await expect(runTool(pay, { to: 'ann', amount: -1 }, context)).rejects.toThrow(/arguments of pay .*: amount: /);
  expect(context.heartbeats).toEqual([]);
});

test('a result that is not what the tool declares is said', async () => {
  const context = toolContext({ fetch: async () => Response.json({ id: 7 }) });
  await expect(runTool(pay, { to: 'ann', amount: 1 }, context)).rejects.toThrow(/result of pay .*: id: /);
});

test('a test that gives no fetch sends to this machine only', async () => {
  const context = toolContext();
  await expect(runTool(pay, { to: 'ann', amount: 1 }, context)).rejects.toThrow('sends to this machine only');
  expect(context.requests).toMatchObject([{ answer: expect.stringContaining('http://pay.test/ann') as unknown }]);
  const server = await listen(async ({ headers }, response) => {
    sendJson(response, 201, { key: headers['idempotency-key'] });
  });
  const answer = await context.fetch(server.url).then((response) => response.json());
  await server.close();
  expect(answer).toEqual({ key: context.idempotencyKey });
});

test('a request ends with the signal of the context', async () => {
  const stop = new AbortController();
  const hang: typeof fetch = (_, init) =>
    new Promise((_resolve, reject) => {
      init?.signal?.addEventListener('abort', () => {
        reject(new Error('aborted'));
      });
    });
  const context = toolContext({ fetch: hang, signal: stop.signal });
  const running = runTool(pay, { to: 'ann', amount: 1 }, context);
  setImmediate(() => {
    stop.abort();
  });
  await expect(running).rejects.toThrow('aborted');
});
