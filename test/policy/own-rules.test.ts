import { describe, expect, test } from '@jest/globals';
import type { BackoffSettings } from '../../src/contracts/backoff.ts';
import type { ModelFailure } from '../../src/contracts/failure.ts';
import { askedAuthor } from '../../src/policy/asked-author.ts';
import { backoffOf } from '../../src/policy/backoff-of.ts';
import { TOOL_BACKOFF } from '../../src/policy/backoff.ts';

const failure = (change: Partial<ModelFailure>): ModelFailure => ({
  ...{ kind: 'permanent', delivery: 'maybe-sent', message: 'm', class: 'permanent', reason: 'bad-request' },
  ...{ retry: false, tries: 1, overCap: false, resetStream: false, billed: 'no', sent: 'yes' },
  ...change,
});
const passing = failure({ kind: 'transient', class: 'transient', reason: 'server', retry: true, tries: 5 });
const cancelled = failure({ kind: 'cancelled', class: 'cancelled', reason: 'caller' });

describe('the word of an agent’s author on a failure', () => {
  test.each<[string, ModelFailure, (error: unknown) => unknown, Partial<ModelFailure>]>([
    ['retry, of one that stops', failure({}), () => 'retry', { kind: 'transient', class: 'transient', retry: true }],
    ['retry, of one that passes', passing, () => 'retry', { tries: 5, reason: 'server' }],
    ['stop', passing, () => 'stop', { kind: 'permanent', class: 'permanent', retry: false }],
    ['nothing', passing, () => undefined, passing],
    ['nonsense', passing, () => 'perhaps', passing],
    [
      'an error',
      passing,
      () => {
        throw new Error('no idea');
      },
      passing,
    ],
    ['retry, of one that the run ended', cancelled, () => 'retry', cancelled],
  ])('%s', (_, given, classify, expected) => {
    expect(askedAuthor(given, new Error('x'), classify as never)).toMatchObject(expected);
  });
});

describe('a backoff', () => {
  test('is the default where nothing is said, and its own where it is', () => {
    expect(backoffOf(undefined, TOOL_BACKOFF, 'x')).toBe(TOOL_BACKOFF);
    const own = { base: '2s', max: '1m', growth: 3, jitter: 'equal' } as const;
    expect(backoffOf(own, TOOL_BACKOFF, 'x')).toEqual({ baseMs: 2_000, maxMs: 60_000, growth: 3, jitter: 'equal' });
    expect(backoffOf({ base: '20s' }, TOOL_BACKOFF, 'x')).toMatchObject({ baseMs: 20_000, maxMs: 20_000 });
  });

  test.each<[BackoffSettings, string]>([
    [{ growth: 0.5 }, 'x.growth is 0.5'],
    [{ jitter: 'half' as never }, 'x.jitter is "half". There are: full'],
    [{ base: '20s', max: '10s' }, 'x.max is below its base'],
    [{ bsae: '1s' } as never, 'bsae'],
  ])('%j is refused', (settings, says) => {
    expect(() => backoffOf(settings, TOOL_BACKOFF, 'x')).toThrow(says);
  });
});
