import { describe, expect, test } from '@jest/globals';
import type { AttemptReport, LimitTransition, SharedLimits } from '../../src/contracts/shared-limits.ts';
import { createWorkerLimits } from '../../src/middleware/worker-limits.ts';
import { LIMIT_RULE } from '../../src/policy/admit-attempt.ts';
import { createVirtualClock } from '../../src/testing/virtual-clock.ts';

async function attempt(limits: SharedLimits, key: string, report: AttemptReport) {
  const admission = await limits.admit(key, { reason: 'first', timeoutMs: 1_000 });
  if (admission.is === 'admitted') await limits.report(key, admission.ticket, report);
  return admission;
}

async function break5(limits: SharedLimits, key: string) {
  for (let n = 0; n < 5; n++) await attempt(limits, key, 'failure');
}

describe('the limits of a worker', () => {
  test('show what stands, and when a probe may go', async () => {
    const clock = createVirtualClock();
    const limits = createWorkerLimits({ clock });
    await attempt(limits, 'model:a', 'failure');
    await break5(limits, 'tool:b');
    await clock.advance(5_000);
    expect(await limits.snapshot()).toMatchObject([
      { key: 'model:a', circuit: 'closed', failures: 1, probeInMs: 0, milliTokens: 9_000, retriesAllowed: true },
      { key: 'tool:b', circuit: 'open', failures: 0, probeInMs: 15_000, milliTokens: 5_000, retriesAllowed: false },
    ]);
    expect(await limits.snapshot('model:unknown')).toMatchObject([{ circuit: 'closed', milliTokens: 10_000 }]);
  });

  test('tell every change once, to those who still listen, whatever another listener does', async () => {
    const clock = createVirtualClock();
    const limits = createWorkerLimits({ clock });
    const seen: LimitTransition[] = [];
    const gone: LimitTransition[] = [];
    limits.onTransition(() => {
      throw new Error('a log that fails');
    });
    limits.onTransition((transition) => seen.push(transition));
    limits.onTransition((transition) => gone.push(transition))();
    await break5(limits, 'model:a');
    await clock.advance(20_000);
    await attempt(limits, 'model:a', 'success');
    expect(seen).toEqual([
      { what: 'circuit', key: 'model:a', from: 'closed', to: 'open' },
      { what: 'throttle', key: 'model:a', retriesAllowed: false },
      { what: 'circuit', key: 'model:a', from: 'open', to: 'probing' },
      { what: 'circuit', key: 'model:a', from: 'probing', to: 'closed' },
      { what: 'throttle', key: 'model:a', retriesAllowed: true },
    ]);
    expect(gone).toEqual([]);
  });

  test('remember a bounded number of keys, and those in trouble longest', async () => {
    const limits = createWorkerLimits({ clock: createVirtualClock(), maxKeys: 3 });
    await break5(limits, 'model:down');
    for (let n = 0; n < 100; n++) await attempt(limits, `model:${n}`, 'success');
    expect((await limits.snapshot()).map(({ key }) => key)).toEqual(['model:down', 'model:98', 'model:99']);
    for (const key of ['model:x', 'model:y', 'model:z']) await break5(limits, key);
    expect((await limits.snapshot()).map(({ key }) => key)).toEqual(['model:x', 'model:y', 'model:z']);
  });

  test('a ticket of a key that was forgotten since counts for nothing', async () => {
    const limits = createWorkerLimits({ clock: createVirtualClock(), maxKeys: 1 });
    const old = await limits.admit('model:a', { reason: 'first', timeoutMs: 1_000 });
    await attempt(limits, 'model:b', 'success');
    for (let n = 0; n < 4; n++) await attempt(limits, 'model:a', 'failure');
    if (old.is === 'admitted') await limits.report('model:a', old.ticket, 'failure');
    expect(await limits.snapshot('model:a')).toMatchObject([{ circuit: 'closed', failures: 4 }]);
  });

  test('a key may have a rule of its own', async () => {
    const strict = { ...LIMIT_RULE, breaker: { ...LIMIT_RULE.breaker, failures: 1, pauseMs: 1_000 } };
    const ruleOf = (key: string) => (key === 'tool:fragile' ? strict : LIMIT_RULE);
    const limits = createWorkerLimits({ clock: createVirtualClock(), ruleOf });
    await attempt(limits, 'tool:fragile', 'failure');
    await attempt(limits, 'tool:other', 'failure');
    expect(await limits.snapshot()).toMatchObject([{ circuit: 'open', probeInMs: 1_000 }, { circuit: 'closed' }]);
  });
});
