import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runTool, toolContext } from 'holdfast/testing';
import { refund } from '../src/tools/refund.ts';

process.env['PAYMENTS_URL'] = 'http://payments.test';

test('a refund sends order and amount once, with the idempotency key', async () => {
  const context = toolContext({ fetch: async () => Response.json({ id: 're_1' }) });
  assert.deepEqual(await runTool(refund, { orderId: 'A-1', amount: 49 }, context), { id: 're_1' });
  assert.equal(context.requests.length, 1);
  assert.equal(context.requests[0]?.headers['idempotency-key'], context.idempotencyKey);
  assert.deepEqual(JSON.parse(context.requests[0].body), { orderId: 'A-1', amount: 49 });
});

test('an amount below zero is refused before anything is sent', async () => {
  const context = toolContext();
  await assert.rejects(runTool(refund, { orderId: 'A-1', amount: -5 }, context), /amount/);
  assert.deepEqual(context.requests, []);
});

test('another amount for the same order is the same action', () => {
  assert.equal(refund.intent?.({ orderId: 'A-1', amount: 49 }), refund.intent?.({ orderId: 'A-1', amount: 5 }));
});
