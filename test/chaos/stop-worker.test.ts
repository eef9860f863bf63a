import { afterEach, expect, test } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { repliesOf } from '../support/rules.ts';
import { openRefundRig, type RefundRig } from './refund-rig.ts';

let rig: RefundRig | undefined;
afterEach(() => rig?.close());

test('SIGTERM with a request that hangs: the process ends within its grace and says what it knows', async () => {
  rig = await openRefundRig([{ is: 'hang', times: 1 }]);
  const options = { effect: 'unflagged', timeout: '60s', grace: '3s' } as const;
  const worker = await rig.startWorker(options);
  const run = await rig.startRun();
  await eventually('the arrival', () => rig?.count().arrivals.length === 1);
  const stoppedAt = Date.now();
  worker.signal('SIGTERM');
  expect(await worker.ended).toBe(0);
  expect(Date.now() - stoppedAt).toBeLessThan(5_000);
  await rig.startWorker(options);
  const question = await eventually('a question', async () => (await run.state())?.questions[0]);
  expect(question.known.join(' ')).toContain('worker was stopped');
  expect(rig.count().arrivals).toHaveLength(1);
});

test('SIGTERM while a tool will end within the grace: its result counts, nothing is asked', async () => {
  rig = await openRefundRig([{ is: 'answer', answersAfterMs: 1_000 }]);
  const options = { effect: 'unflagged', timeout: '20s', grace: '8s' } as const;
  const worker = await rig.startWorker(options);
  const run = await rig.startRun();
  await eventually('the arrival', () => rig?.count().arrivals.length === 1);
  worker.signal('SIGTERM');
  expect(await worker.ended).toBe(0);
  await rig.startWorker(options);
  expect(repliesOf((await run.result()).text)).toMatchObject([{ status: 'ok' }]);
  expect((await rig.records(run.id)).map(({ is }) => is)).toEqual(['claimed', 'done']);
});
