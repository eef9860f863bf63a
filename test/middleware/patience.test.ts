import { describe, expect, test } from '@jest/globals';
import { AttemptTimeout } from '../../src/contracts/attempt-timeout.ts';
import { patience } from '../../src/middleware/patience.ts';
import { nameAttemptError } from '../../src/policy/name-attempt-error.ts';
import { createVirtualClock, type VirtualClock } from '../../src/testing/virtual-clock.ts';
import { fakeProvider, requestTo, textIn, textOf } from './model-calls.ts';

type Answer = Parameters<typeof fakeProvider>[1][string];

function ask(clock: VirtualClock, answer: Answer, request = requestTo('a')) {
  const { call } = fakeProvider(clock, { a: answer });
  const patient = patience({ firstMs: 180_000, idleMs: 120_000, clock })(call);
  return clock.run(patient(request).then(textIn)).catch((error: unknown) => error);
}

describe('a model that is silent', () => {
  test('before the first piece is given up after 180 s, and the message says which deadline it was', async () => {
    const clock = createVirtualClock();
    const error = await ask(clock, { script: ['hang'] });
    expect(error).toBeInstanceOf(AttemptTimeout);
    expect(clock.now()).toBe(180_000);
    expect(nameAttemptError(error, { now: 0 })).toMatchObject({
      kind: 'timed-out',
      reason: 'timeout',
      message: 'The model gave no piece of an answer within 180 s.',
    });
  });

  test('between two pieces is given up after 120 s', async () => {
    const clock = createVirtualClock();
    const error = await ask(clock, { script: [textOf('a'), 'hang'] });
    expect(error).toMatchObject({ message: expect.stringContaining('no further piece of the answer within 120 s') });
    expect(clock.now()).toBe(120_000);
  });

  test.each([
    ['keep-alives', { type: 'ping' }],
    ['notes of the provider', { type: 'custom', kind: 'anthropic.message_start' }],
  ] as const)('but for %s is silent all the same (D8)', async (_, part) => {
    const clock = createVirtualClock();
    const pieces = Array.from({ length: 9 }, () => [50_000, part] as const);
    const error = await ask(clock, { script: [textOf('a'), ...pieces.flat()] });
    expect(error).toMatchObject({ message: expect.stringContaining('no further piece of the answer within 120 s') });
    expect(clock.now()).toBe(120_000);
  });

  test('for less than that is waited for, however long it takes in all', async () => {
    const clock = createVirtualClock();
    const pieces = Array.from({ length: 5 }, (_, at) => [100_000, textOf(String(at))] as const);
    expect(await ask(clock, { script: pieces.flat() })).toBe('01234');
    expect(clock.now()).toBeGreaterThanOrEqual(500_000);
  });
});
