import { describe, expect, test } from '@jest/globals';
import stringWidth from 'string-width';
import { followLive, NOTHING_YET, type LiveState } from '../../src/cli/follow-live.ts';
import { liveLines } from '../../src/cli/screens/live-lines.ts';
import type { RunEvent } from '../../src/contracts/events.ts';
import { at, plainScreen } from './plain-screen.ts';

const screen = plainScreen({ now: at(10, 0, 10) });
const after = (...events: readonly RunEvent[]): LiveState => events.reduce(followLive, NOTHING_YET);
const shown = (...events: readonly RunEvent[]): readonly string[] => liveLines(after(...events), screen);

const started: RunEvent = { type: 'run-started', at: at(10, 0), agent: 'support', input: '"go"' };
const about = { call: 't2', turn: 2, attempt: 1 };
const asked: RunEvent = { type: 'attempt-started', at: at(10, 0, 7), ...about, kind: 'model', name: 'p/m' };
const piece = (delta: string, change: Partial<Extract<RunEvent, { type: 'piece' }>> = {}): RunEvent => {
  return {
    type: 'piece',
    at: at(10, 0, 8),
    ...about,
    stream: 1,
    seq: 1,
    of: 'text',
    part: '0',
    delta,
    scheduledAt: 1,
    ...change,
  };
};
const ended = (nextWaitMs?: number): RunEvent => {
  const failure = { kind: 'transient', delivery: 'maybe-sent', reason: 'network', message: 'no' } as const;
  const outcome =
    nextWaitMs === undefined ? { outcome: 'success' as const } : { outcome: 'failure' as const, failure, nextWaitMs };
  return { type: 'attempt-ended', at: at(10, 0, 9), ...about, kind: 'model', name: 'p/m', ...outcome };
};

describe('under a watched run', () => {
  test('it says that nothing was heard of it yet', () => {
    expect(shown()).toEqual(['⠋ nothing was heard of the run yet']);
  });

  test('a model call has its time, and its reply as it comes', () => {
    expect(shown(started, asked)).toEqual(['⠋ turn 2 · model 3 s']);
    expect(shown(started, asked, piece('I refund '), piece('the order.'))).toEqual([
      '  I refund the order.',
      '⠋ turn 2 · model 3 s · 19 characters',
    ]);
  });

  test('what an earlier attempt had said is gone with its reset', () => {
    const reset: RunEvent = { type: 'reset', at: at(10, 0, 9), ...about, attempt: 2, stream: 2, scheduledAt: 2 };
    const again = { ...asked, attempt: 2 };
    const lines = shown(
      started,
      asked,
      piece('old'),
      ended(500),
      again,
      reset,
      piece('new', { attempt: 2, stream: 2 }),
    );
    expect(lines).toEqual(['  new', '⠋ turn 2 · model, attempt 2, 3 s · 3 characters']);
  });

  test('a long reply has its last lines, also one without a single blank, and a wild one moves no cursor', () => {
    const lines = shown(started, asked, piece('word '.repeat(100_000)));
    expect(lines).toHaveLength(9);
    const one = shown(started, asked, piece('x'.repeat(100_000)));
    for (const line of [...lines, ...one]) expect(line.length).toBeLessThanOrEqual(80);
    expect(shown(started, asked, piece('a\u001b[2Jb\rc'))[0]).toBe('  a[2Jbc');
  });

  test('the end of its arguments is what is seen of a call', () => {
    const lines = shown(
      started,
      asked,
      piece(`{"text":"${'long '.repeat(100)}end`, { of: 'tool-input', tool: 'note' }),
    );
    expect(lines[0]).toMatch(/^ {2}note …[^]*long end$/);
    expect(lines[0]).toHaveLength(79);
  });

  test('calls at once have each their time, and one that is made again its wait', () => {
    const tool = (name: string): RunEvent => {
      return { type: 'attempt-started', at: at(10, 0, 8), call: name, turn: 2, attempt: 1, kind: 'tool', name };
    };
    expect(shown(started, tool('refund'), tool('note'))).toEqual(['⠋ turn 2 · refund 2 s · note 2 s']);
    expect(shown(started, asked, ended(4_000))).toEqual(['⠋ turn 2 · tries again, 3 s left']);
    expect(shown(started, asked, ended(500))).toEqual(['⠋ turn 2']);
  });

  test('a pause of the provider and the questions it asks are named', () => {
    const waits: RunEvent = { type: 'call-waits', at: at(10, 0, 9), call: 't2', turn: 2, waitMs: 61_000, why: '429' };
    expect(shown(started, asked, waits)[0]).toContain('waits for the provider, 1 min left');
    const raised: RunEvent = { type: 'question-raised', at: at(10, 0, 9), question: 'q7f3', call: 't1c0' };
    expect(shown(started, raised)).toEqual(['⠋ waits for a person: q7f3']);
    expect(shown(started, raised, { type: 'question-settled', at: 1, question: 'q7f3', by: 'ann' })).toEqual([
      '⠋ begun',
    ]);
  });

  test('nothing stands once it has ended', () => {
    const result = {
      status: 'completed',
      text: '',
      open: [],
      spend: { inputTokens: 0, outputTokens: 0, unmetered: 0 },
      taskId: 'r',
    } as const;
    expect(shown(started, asked, { type: 'run-ended', at: 1, status: 'completed', result })).toEqual([]);
  });
});

/** Columns and units of a text that a terminal shows in other widths than its length. */
const scripts: readonly (readonly [string, string])[] = [
  ['Chinese', '退款已经处理，请稍候片刻。'],
  ['emoji', '🚀🎉👍'],
  ['emoji made of several', '👩‍👩‍👧‍👦🏳️‍🌈👍🏽 '],
  ['combining marks', 'e\u0301a\u0308o\u0302'],
  ['marks without end', 'x' + '\u0301'.repeat(5_000)],
  ['code with tabs', '\tif (a)\n\t\treturn\t1;\n'],
];

describe.each(scripts)('a reply in %s', (_, sample) => {
  const long = sample.repeat(Math.ceil(20_000 / sample.length));

  test.each([20, 80])('takes at most eight rows of %d columns, and no character is halved', (width) => {
    const lines = liveLines(after(started, asked, piece(long)), plainScreen({ now: at(10, 0, 10), width }));
    expect(lines.length).toBeLessThanOrEqual(9);
    for (const line of lines) {
      expect(stringWidth(line)).toBeLessThanOrEqual(width);
      expect(line).not.toMatch(/\t/);
      expect(line.isWellFormed()).toBe(true);
    }
    expect(lines.at(-2)).toContain(Array.from(long.trimEnd()).at(-1));
  });

  test('is cut likewise as the arguments of a call', () => {
    const [line = ''] = shown(started, asked, piece(long, { of: 'tool-input', tool: 'note' }));
    expect(line).toMatch(/^ {2}note ./);
    expect(stringWidth(line)).toBeLessThanOrEqual(79);
    expect(line.isWellFormed()).toBe(true);
  });
});

test('many calls at once take eight rows too, however long their names', () => {
  const calls = Array.from({ length: 20 }, (_, part) =>
    piece('{"a":1}', { of: 'tool-input', tool: '工具'.repeat(60), part: String(part) }),
  );
  const lines = shown(started, asked, piece('word '.repeat(1_000)), ...calls);
  expect(lines).toHaveLength(9);
  for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(80);
});

test('of a reply of megabytes only the end is looked at', () => {
  const state = after(started, asked, piece('word '.repeat(1_000_000)));
  const frames = Array.from({ length: 20 }, () => {
    const began = performance.now();
    liveLines(state, screen);
    return performance.now() - began;
  });
  // The quickest one: the machine may be busy with something else. Looking at the whole takes 10 ms and more.
  expect(Math.min(...frames)).toBeLessThan(3);
});
