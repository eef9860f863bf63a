import { afterEach, describe, expect, test } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { repliesOf } from '../support/rules.ts';
import { openRefundRig, type RefundRig } from './refund-rig.ts';

let rig: RefundRig | undefined;
afterEach(async () => {
  await rig?.close();
  rig = undefined;
});

/** The first request acts and is never answered; the ones after it are answered. */
const ANSWER_LOST = [{ is: 'hang', times: 1 }] as const;

describe('a worker killed with -9 after its tool has sent the request', () => {
  test('idempotent by key: sent again with the same key and the same bytes, one effect', async () => {
    rig = await openRefundRig(ANSWER_LOST);
    const options = { effect: 'by-key', timeout: '2s' } as const;
    const first = await rig.startWorker(options);
    const run = await rig.startRun();
    await eventually('the first arrival', () => rig?.count().arrivals.length === 1);
    await first.kill();
    await rig.startWorker(options);
    const result = await run.result();
    expect(repliesOf(result.text)).toMatchObject([{ status: 'ok' }]);
    const { arrivals, effects } = rig.count();
    expect(arrivals.length).toBeGreaterThanOrEqual(2);
    expect(new Set(arrivals.map(({ key }) => key)).size).toBe(1);
    expect(new Set(arrivals.map(({ bodyHash }) => bodyHash)).size).toBe(1);
    expect(effects).toHaveLength(1);
  });

  test('neither flag: one arrival; the run asks, and a person settles it', async () => {
    rig = await openRefundRig(ANSWER_LOST);
    const options = { effect: 'unflagged', timeout: '2s' } as const;
    const first = await rig.startWorker(options);
    const run = await rig.startRun();
    await eventually('the first arrival', () => rig?.count().arrivals.length === 1);
    await first.kill();
    await rig.startWorker(options);
    const question = await eventually('a question', async () => (await run.state())?.questions[0], 30_000);
    const [effect] = rig.count().effects;
    const decided = await run.resolveOutcome({
      question: question.id,
      verdict: 'happened',
      result: { id: effect?.id ?? '' },
      by: 'test',
      reason: 'seen',
    });
    expect(decided).toMatchObject({ is: 'applied', to: 'run' });
    expect(repliesOf((await run.result()).text)).toMatchObject([{ status: 'ok', data: { id: effect?.id } }]);
    expect(rig.count()).toMatchObject({ arrivals: [expect.anything()], effects: [expect.anything()] });
    expect((await rig.records(run.id)).map(({ is }) => is)).toEqual(['claimed', 'unknown', 'settled']);
  });

  test('read-only: read again', async () => {
    rig = await openRefundRig([]);
    const options = { effect: 'read-only', timeout: '2s' } as const;
    const first = await rig.startWorker(options);
    const run = await rig.startRun();
    await eventually('the first look-up', () => (rig?.count().lookUps.length ?? 0) > 0);
    await first.kill();
    await rig.startWorker(options);
    expect(repliesOf((await run.result()).text)).toMatchObject([{ status: 'ok' }]);
    expect(rig.count()).toMatchObject({ lookUps: [expect.anything(), expect.anything()], effects: [] });
  });
});
