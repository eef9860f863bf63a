import { describe, expect, test } from '@jest/globals';
import { findQuestion } from '../../src/cli/find-question.ts';
import { namedIntent } from '../../src/cli/named-intent.ts';
import { nearMatches } from '../../src/policy/near-matches.ts';
import { makePasteable, placeOf, printedCommand } from '../../src/cli/printed-command.ts';
import { describeError, exitCodeOf } from '../../src/cli/report-error.ts';
import { fit, wrap } from '../../src/cli/screens/fit.ts';
import { plain } from '../../src/cli/screens/plain.ts';
import { ago, clock, span } from '../../src/cli/screens/times.ts';
import { toDecision, type ResolveInput } from '../../src/cli/to-decision.ts';
import { UsageError } from '../../src/cli/usage-error.ts';
import type { InboxItem } from '../../src/client/inbox.ts';
import { ServerNotReached } from '../../src/temporal/server-not-reached.ts';
import { at } from './plain-screen.ts';
import { QUESTION } from './samples.ts';

describe('times', () => {
  test.each([
    [0, '0 ms'],
    [4.4, '4 ms'],
    [999, '999 ms'],
    [1_000, '1 s'],
    [1_349, '1.3 s'],
    [9_940, '9.9 s'],
    [9_960, '10 s'],
    [59_400, '59 s'],
    [59_700, '1 min'],
    [80_000, '1 min 20 s'],
    [599_600, '10 min'],
    [754_000, '13 min'],
    [3_599_999, '1 h'],
    [11_100_000, '3 h 5 min'],
    [86_400_000, '1 d'],
    [601_200_000, '6 d 23 h'],
    [-5, '0 ms'],
  ])('%d ms is %s', (ms, expected) => {
    expect(span(ms)).toBe(expected);
  });

  test.each([
    [at(10, 2, 14), '10:02:14'],
    [at(10, 2, 14) - 86_400_000, 'Nov 29 10:02'],
    [new Date(2025, 0, 5, 1, 2).getTime(), '2025 Jan 5'],
  ])('a time is shown as near as it is: %d', (then, expected) => {
    expect(clock(then, at(11, 0))).toBe(expected);
  });

  test.each([
    [0, 'just now'],
    [4_000, '4 s ago'],
    [720_000, '12 min ago'],
    [7_300_000, '2 h ago'],
    [600_000_000, '6 d ago'],
  ])('%d ms before now is %s', (ms, expected) => {
    expect(ago(at(10, 0) - ms, at(10, 0))).toBe(expected);
  });
});

describe('text', () => {
  test('is cut to one line, or broken between words', () => {
    expect(fit('a  b\nc', 80)).toBe('a b c');
    expect(fit('abcdefghij', 9)).toBe('abcdefgh…');
    expect(wrap('one two three four five six seven\n\nend', 20)).toEqual([
      'one two three four',
      'five six seven',
      '',
      'end',
    ]);
  });

  test('from outside cannot steer the terminal, however deep it sits', () => {
    expect(plain({ a: ['\u001b[31mred\u0007', { b: 'x\u202ey' }], n: 1, u: undefined })).toEqual({
      a: ['[31mred', { b: 'xy' }],
      n: 1,
      u: undefined,
    });
  });
});

describe('a printed command', () => {
  const env = { TEMPORAL_ADDRESS: 'env:7233' };
  test.each([
    ['is bare in the usual place', { dataDir: '/p/.holdfast', env: {} }, {}, 'npx holdfast ls'],
    ['carries the data folder', { dataDir: '/p/x y', env: {} }, {}, "npx holdfast ls --data 'x y'"],
    ['names a folder elsewhere in full', { dataDir: '/q/d', env: {} }, {}, 'npx holdfast ls --data /q/d'],
    [
      'carries the server of the environment',
      { dataDir: '/p/.holdfast', env },
      {},
      'npx holdfast ls --address env:7233',
    ],
    [
      'carries what its own command line said',
      { dataDir: '/p/.holdfast', env },
      { address: 'a:1', config: 'c.ts', namespace: 'n', profile: 'p' },
      'npx holdfast ls --config c.ts --address a:1 --namespace n --profile p',
    ],
  ])('%s', (_, settings, flags, expected) => {
    expect(printedCommand(placeOf(settings, flags, '/p'))('ls')).toBe(expected);
  });

  test('quotes what a shell would read otherwise', () => {
    const command = printedCommand({ home: [], server: [] });
    expect(command('show', "it's $HOME", '…')).toBe(`npx holdfast show 'it'\\''s $HOME' '…'`);
  });

  test('of another room is made one that can be pasted, and leads home, not to the server that was not reached', () => {
    const place = { home: ['--data', 'd'], server: ['--address', 'a:1'] };
    expect(makePasteable('no server.\n  Start: holdfast dev\n  Not: npx holdfast dev, holdfast knows', place)).toBe(
      'no server.\n  Start: npx holdfast dev --data d\n  Not: npx holdfast dev, holdfast knows',
    );
  });
});

describe('near matches', () => {
  const known = ['support', 'billing', 'refund-A-1042', 'refund-A-1043'];
  test.each([
    ['suport', ['support']],
    ['spuport', ['support']],
    ['refund-A-1024', ['refund-A-1042', 'refund-A-1043']],
    ['A-1042', ['refund-A-1042']],
    ['nonsense', []],
    ['x', []],
  ])('of %s are %j', (typed, expected) => {
    expect(nearMatches(typed, known)).toEqual(expected);
  });
});

describe('a question', () => {
  const item = (id: string, run: string, from: 'run' | 'ledger' = 'run'): InboxItem => ({
    question: { ...QUESTION, id, run },
    agent: '',
    turn: undefined,
    from,
  });
  const items = [item('qabc', 'r1'), item('qabd', 'r2'), item('qabc', 'r1', 'ledger'), item('qxyz', 'r2')];
  const named = (typed: string, run?: string) => {
    const found = findQuestion(typed, items, run);
    return found.is === 'one'
      ? [found.item.question.id, found.item.from]
      : [found.is, ...found.near.map(({ question }) => question.id)];
  };
  test.each([
    ['by its whole id', 'qabc', undefined, ['qabc', 'run']],
    ['by its first letters', 'qxy', undefined, ['qxyz', 'run']],
    ['by fewer letters within a run', 'qab', 'r2', ['qabd', 'run']],
    ['not by the letter that every id begins with', 'q', undefined, ['short', 'qabc', 'qabd', 'qxyz']],
    ['not by so few letters that a slip may hit it, though only one has them', 'qx', undefined, ['short', 'qxyz']],
    ['not by the only one of a run', 'q', 'r1', ['short', 'qabc']],
    ['not by nothing: a variable that was not set must not decide', '', undefined, ['short', 'qabc', 'qabd', 'qxyz']],
    ['not by blanks', '   ', undefined, ['short']],
    ['not by letters that several share', 'qab', undefined, ['many', 'qabc', 'qabd']],
    ['not by a mistyped id, which has near matches', 'qbac', undefined, ['none', 'qabc']],
    ['not in another run', 'qabc', 'r2', ['none', 'qabd']],
  ])('is found %s', (_, typed, run, expected) => {
    expect(named(typed, run)).toEqual(expected);
  });
});

describe('a decision', () => {
  const given: ResolveInput = { question: 'q1', verdict: 'happened', reason: 'seen', result: null, by: 'ann' };
  test('has what was given, and nothing else', () => {
    expect(toDecision(given)).toEqual({ verdict: 'happened', reason: 'seen', result: null, by: 'ann' });
  });

  test('names the user of this machine when nobody is named', () => {
    expect(toDecision({ question: 'q1', verdict: 'abort', reason: 'x' }).by).toMatch(/./);
  });

  test.each<[string, Partial<ResolveInput>, string]>([
    ['has no reason', { reason: undefined }, 'needs a reason'],
    ['happened without a result', { result: undefined }, 'happened needs a result'],
    ['has a result for what did not happen', { verdict: 'did-not-happen' }, '--result goes with happened'],
    ['has a way on that does not fit', { then: 'retry' }, '--then goes with did-not-happen'],
    ['overrides what needs no overriding', { override: true }, '--override goes with did-not-happen'],
  ])('is refused when it %s', (_, change, why) => {
    expect(() => toDecision({ ...given, ...change })).toThrow(why);
  });
});

describe('an error', () => {
  const home = { home: [], server: [] };
  const lost = new Error('Failed to list', {
    cause: Object.assign(new Error('x'), {
      code: 14,
      details: 'No connection established. Last error: Error: connect ECONNREFUSED 127.0.0.1:9. Resolution note: ',
    }),
  });
  test.each<[string, unknown, number, string]>([
    ['of usage', new UsageError('no such thing.'), 2, 'holdfast: no such thing.'],
    ['of an unreached server', new ServerNotReached('cannot reach it.'), 4, 'holdfast: cannot reach it.'],
    [
      'of a server that went away',
      lost,
      4,
      'holdfast: Temporal does not answer any more: connect ECONNREFUSED 127.0.0.1:9.\n  If it has ended: npx holdfast dev',
    ],
    [
      'of Temporal has its reason',
      new Error('Failed to start', { cause: { details: 'bad id' } }),
      1,
      'holdfast: Failed to start: bad id',
    ],
    ['of any other kind', new Error('broken'), 1, 'holdfast: broken'],
    ['that is none', 'broken', 1, 'holdfast: broken'],
  ])('%s', (_, error, code, shown) => {
    expect(exitCodeOf(error)).toBe(code);
    expect(describeError(error, {}, home)).toBe(shown);
  });

  test('shows where it came from only when asked, and is JSON when the answer would be', () => {
    expect(describeError(new Error('broken'), { verbose: true }, home)).toMatch(
      /^holdfast: broken\nError: broken\n {4}at /,
    );
    expect(describeError(new Error('broken'), { json: true }, home)).toBe(
      '{"error":{"message":"broken","exitCode":1}}',
    );
  });
});

test.each([
  ['refund', 'refund:A-1', 'refund:A-1'],
  ['refund', 'refund:e63b86a2e7905ea0:0', undefined],
  ['refund', undefined, undefined],
])('the intent of %s %s is shown as %s', (tool, intent, expected) => {
  expect(namedIntent(tool, intent)).toBe(expected);
});
