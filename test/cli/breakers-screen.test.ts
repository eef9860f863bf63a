import { expect, test } from '@jest/globals';
import type { LimitSnapshot } from '../../src/contracts/shared-limits.ts';
import { breakersScreen } from '../../src/cli/screens/breakers-screen.ts';
import { plainScreen } from './plain-screen.ts';

const screen = plainScreen();

const limit = (changes: Partial<LimitSnapshot>): LimitSnapshot => ({
  ...{ key: 'model:openai', circuit: 'closed', failures: 0, probeInMs: 0, spreadMs: 10_000 },
  ...{ milliTokens: 10_000, retriesAllowed: true },
  ...changes,
});

test('shows what is given a pause, until when, and who repeats nothing', () => {
  const at = screen.now - 5_000;
  const open = limit({ circuit: 'open', probeInMs: 20_000, milliTokens: 4_900, retriesAllowed: false });
  const text = breakersScreen(
    [
      { worker: '7@a', at, limits: [open, limit({ key: 'tool:refund', failures: 2 })] },
      { worker: '8@a', at, limits: [] },
      { worker: '9@b', at: undefined, limits: [] },
    ],
    'holdfast',
    screen,
  );
  expect(text.split('\n').map((line) => line.trimEnd())).toEqual([
    expect.stringMatching(/^worker +of +circuit +repeats +changed$/),
    expect.stringMatching(/^7@a +provider openai +open · looks again in 15 s +none · 4.9 of 10 tokens +5 s ago$/),
    expect.stringMatching(/^7@a +tool refund +closed · 2 failures in a row +10.0 of 10 tokens +5 s ago$/),
    '8@a   nothing has failed since it started',
    '9@b   has not said how its breakers stand: it is older, or keeps its events elsewhere',
  ]);
});

test('without a worker it says so', () => {
  expect(breakersScreen([], 'refunds', screen)).toContain('No worker polls the task queue refunds.');
});
