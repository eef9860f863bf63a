import { expect, test } from '@jest/globals';
import { breaker } from '../../src/middleware/breaker.ts';
import {
  askProvider,
  composeModelCall,
  costMeter,
  createRateLimiter,
  createWorkerLimits,
  fallback,
  hedge,
  rateLimit,
  systemClock,
  type RequestEnd,
} from '../../src/middleware/index.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';
import { classify, readParts, requestTo, targetOf } from './model-calls.ts';

test('a real stream passes through every part unchanged, in real time', async () => {
  const words = 'A long answer, in many pieces. '.repeat(40);
  const model = scriptedModel(() => ({ text: words }));
  const limits = createWorkerLimits({ clock: systemClock });
  const limiter = createRateLimiter({ intervalMs: 1, burst: 1 }, systemClock);
  const ends: RequestEnd[] = [];
  const call = composeModelCall({
    fallback: fallback([targetOf('c')]),
    hedge: hedge({ backups: [targetOf('b')], afterMs: 60_000, clock: systemClock }),
    costMeter: costMeter({ started: () => undefined, ended: (_, end) => ends.push(end) }),
    rateLimit: rateLimit(() => limiter),
    breaker: breaker({ limits, clock: systemClock, classify }),
    provider: askProvider(() => model),
  });
  const { options } = requestTo('a');
  const direct = await readParts(await scriptedModel(() => ({ text: words })).doStream(options));
  expect(direct.length).toBeGreaterThan(20);
  expect(await readParts(await call(requestTo('a')))).toEqual(direct);
  expect(ends).toMatchObject([{ is: 'whole', responseId: 'scripted-1' }]);
});
