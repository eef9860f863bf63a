import { describe, expect, test } from '@jest/globals';
import { costTable, type CostGrouping, type CostTableOptions } from '../../src/cli/cost-table.ts';
import { costScreen } from '../../src/cli/screens/cost-screen.ts';
import { dollars } from '../../src/cli/screens/dollars.ts';
import type { RunCost } from '../../src/contracts/cost.ts';
import type { RunEvent } from '../../src/contracts/events.ts';
import { costReport } from '../../src/policy/cost-report.ts';
import { ended, modelAttempt, PRICES, started, toolAttempt, UNKNOWN, used } from '../policy/cost-events.ts';
import { at, plainScreen } from './plain-screen.ts';

const screen = plainScreen();
const BEGAN = at(10, 2, 0);

const reportOf = (run: string, events: readonly RunEvent[]): RunCost =>
  costReport({ run, events, prices: PRICES, now: screen.now });

/** A refund with a failed attempt, a hedge that lost, ten minutes with a person, and a model without a price. */
const REFUND = reportOf('refund-A-1042', [
  started(BEGAN),
  ...modelAttempt({
    ...{ from: BEGAN + 10, to: BEGAN + 4_110, outcome: 'failure', nextWaitMs: 800 },
    requests: [{ inputChars: 3_075, end: { outcome: 'broken', usage: used(1_200, null), outputChars: 675 } }],
  }),
  ...modelAttempt({
    ...{ attempt: 2, from: BEGAN + 5_000, to: BEGAN + 9_000 },
    requests: [
      { inputChars: 3_075, end: { outcome: 'lost-hedge', usage: UNKNOWN, outputChars: 30 } },
      { reason: 'hedge', end: { usage: used(1_210, 230, { cacheReadTokens: 400 }) } },
    ],
  }),
  ...toolAttempt(1, [BEGAN + 9_100, BEGAN + 9_900]),
  { type: 'question-raised', at: BEGAN + 9_900, call: 't1c0', question: 'q1' },
  { type: 'question-settled', at: BEGAN + 609_900, by: 'ada', question: 'q1' },
  ...modelAttempt({
    ...{ turn: 2, from: BEGAN + 610_000, to: BEGAN + 613_000 },
    requests: [{ model: 'big/stranger', end: { usage: used(2_000, 100) } }],
  }),
  ...modelAttempt({
    turn: 3,
    from: BEGAN + 614_000,
    to: BEGAN + 615_000,
    requests: [{ end: { usage: used(2_400, 50) } }],
  }),
  ended(BEGAN + 615_100),
]);
const GOES_ON = reportOf('refund-A-1043', [started(at(10, 14, 0)), ...modelAttempt({ from: at(10, 14, 1) })]);

const shown = (costs: readonly RunCost[], by: CostGrouping, more: Partial<CostTableOptions> = {}): string =>
  costScreen(
    costTable(costs, { by, isSlowestFirst: false, isOne: costs.length === 1, since: at(9, 0), ...more }),
    screen,
  );

/** The lines of the table in it. */
const tableIn = (text: string): string => text.split('\n\n')[2] ?? '';
const lines = (...all: readonly string[]): string => all.join('\n');

describe('what a run cost', () => {
  test('is told with both totals, what is estimated, what is not known, and where the time went', () => {
    expect(shown([REFUND], 'turn')).toBe(
      lines(
        'completed · agent support · started 10:02:00 · took 10 min',
        'refund-A-1042',
        '',
        'Spent   ~$0.02415 + ? · $0.0102 of it estimated, 2 requests · 1 request of',
        '        unknown cost',
        'Answer  $0.01395 + ?',
        'Tokens  6,810 → 380 + ? · 5 requests · 400 read from a cache',
        'Time    10 min: model 12 s · tools 800 ms · waiting for people 10 min · before',
        '        repeating 890 ms · on the way 1.3 s',
        '',
        'turn  spent     answer    tokens           took    model  tools   waiting',
        '1     ~$0.0162  $0.006    2,410 → 230 + ?  10 min  8.1 s  800 ms  10 min',
        '2     ?         ?         2,000 → 100      4 s     3 s',
        '3     $0.00795  $0.00795  2,400 → 50       1.1 s   1 s',
        '',
        '~ is an estimate: input as counted, output by characters, 3 a token.',
        '~ is an estimate: input by characters, 3 a token, output by characters, 3 a',
        'token.',
        '? Nobody has said what maker/big/stranger costs. In the configuration, in USD',
        'per 1,000,000 tokens:',
        "  prices: { 'maker/big/stranger': { input: 0.5, output: 2 } }",
      ),
    );
  });

  test('by attempt has a line of its own for each request of one that sent several', () => {
    expect(tableIn(shown([REFUND], 'attempt'))).toBe(
      lines(
        'turn  call     attempt               took    spent       tokens',
        '1     thinker  1 failed              4.1 s   ~$0.006975  1,200 → 0 + ?',
        '      thinker  2 ok                  4 s     ~$0.009225  1,210 → 230 + ?',
        '                 thinker was slower  4 s     ~$0.003225  ?',
        '                 thinker answered    4 s     $0.006      1,210 → 230',
        '      refund   1 ok                  800 ms',
        '2     thinker  1 ok                  3 s     ?           2,000 → 100',
        '3     thinker  1 ok                  1 s     $0.00795    2,400 → 50',
      ),
    );
  });

  test('by attempt tells one that was refused, one that is at work, and one whose end is not on record', () => {
    const refused = { end: { outcome: 'broken', usage: UNKNOWN, billed: 'no' } as const };
    const events = [
      started(BEGAN),
      ...modelAttempt({ from: BEGAN, requests: [refused, { end: {} }] }),
      ...modelAttempt({ turn: 2, from: BEGAN, outcome: null, requests: [{ inputChars: 9 }] }),
      ...modelAttempt({ turn: 2, attempt: 2, from: BEGAN + 1_000, outcome: null, requests: [{ inputChars: 9 }] }),
    ];
    const attempts = (text: string) =>
      tableIn(text)
        .split('\n')
        .map((line) => line.slice(15, 35).trim());
    const named = ['attempt', '1 ok', 'thinker refused', 'thinker answered', '1 no end on record'];
    expect(attempts(shown([reportOf('r', events)], 'attempt'))).toEqual([...named, '2 at work']);
    expect(attempts(shown([reportOf('r', [...events, ended(BEGAN + 2_000)])], 'attempt'))).toEqual([
      ...named,
      '2 no end on record',
    ]);
  });

  test('the slowest first, by call', () => {
    const told = tableIn(shown([REFUND], 'call', { isSlowestFirst: true }))
      .split('\n')
      .map((line) => line.slice(0, 34));
    expect(told.map((line) => line.trimEnd())).toEqual([
      'turn  call     attempts  took    s',
      '1     thinker  2         9 s     ~',
      '2     thinker  1         3 s     ?',
      '3     thinker  1         1 s     $',
      '1     refund   1         800 ms',
    ]);
  });

  test('can be read while it goes on', () => {
    expect(shown([GOES_ON], 'turn')).toBe(
      lines(
        'running · agent support · started 10:14:00 · so far',
        'refund-A-1043',
        '',
        'Spent   $0.00045',
        'Answer  $0.00045',
        'Tokens  100 → 10 · 1 request',
        'Time    14 s: model 1 s · on the way 13 s',
        '',
        'turn  spent     answer    tokens    took  model  tools  waiting',
        '1     $0.00045  $0.00045  100 → 10  13 s  1 s',
      ),
    );
  });

  test('of which nothing is on record', () => {
    expect(shown([reportOf('r', [])], 'turn')).toContain(
      'Spent   nothing on record\nAnswer  none yet\nTokens  0 requests\nTime    0 ms',
    );
  });

  test('of which a part is still asked for says so', () => {
    const cut = {
      account: 'openrouter',
      model: 'v/m',
      responseId: 'gen-1',
      end: { outcome: 'cut', usage: UNKNOWN },
    } as const;
    const text = shown([reportOf('r', [started(BEGAN), ...modelAttempt({ from: BEGAN, requests: [cut] })])], 'turn');
    expect(text.split('\n\n').at(-1)).toBe(
      lines('The provider is asked what 1 request cost, for up to 15 min: this will still', 'change.'),
    );
  });

  test('of which nothing could be estimated says so', () => {
    const lost = reportOf('r', [started(BEGAN), ...modelAttempt({ from: BEGAN, outcome: null, requests: [{}] })]);
    expect(shown([lost], 'turn')).toContain('Spent   ? · 1 request of unknown cost');
    expect(shown([lost], 'turn')).toContain('? Nothing is on record that a cost could be estimated from.');
  });
});

describe('what several runs cost', () => {
  test('by agent', () => {
    const text = shown([GOES_ON, REFUND], 'agent');
    expect(text.split('\n')[0]).toBe('2 runs since 09:00:00 · 1 still goes on');
    expect(tableIn(text)).toBe(
      lines(
        'agent    runs  spent         answer       model  tools   waiting',
        'support  2     ~$0.0246 + ?  $0.0144 + ?  13 s   800 ms  10 min',
        'no room for tokens; all with --json',
      ),
    );
  });

  test('by turn, the oldest run first, its name once', () => {
    const runs = tableIn(shown([GOES_ON, REFUND], 'turn'))
      .split('\n')
      .map((line) => line.slice(0, 19).trimEnd());
    expect(runs).toEqual([
      'run            turn',
      'refund-A-1042  1',
      '               2',
      '               3',
      'refund-A-1043  1',
      'no room for tokens;',
    ]);
  });

  test.each<[CostGrouping]>([['agent'], ['turn'], ['call'], ['attempt']])(
    'by %s, in 80 columns, whatever it is called',
    (by) => {
      const long = { ...REFUND, agent: 'a'.repeat(64), run: 'run-'.repeat(20) };
      const calls = long.turns
        .flatMap((turn) => turn.calls)
        .map((call) => ({ ...call, name: `maker/${'m'.repeat(60)}` }));
      const turns = [{ ...long.turns[0]!, calls }];
      const text = tableIn(shown([{ ...long, turns }, GOES_ON], by));
      expect(text.split('\n').filter((line) => line.length > 80)).toEqual([]);
      expect(text).toContain('~$0.0');
    },
  );

  test('a wide screen has room for all of it', () => {
    const wide = costScreen(
      costTable([GOES_ON, REFUND], { by: 'turn', isSlowestFirst: false, isOne: false, since: at(9, 0) }),
      plainScreen({ width: 120 }),
    );
    expect(tableIn(wide)).toContain('answer    tokens           took');
    expect(wide).not.toContain('no room');
  });

  test('the agent that cost most first', () => {
    const cheap = { ...GOES_ON, agent: 'cheap' };
    expect(
      costTable([cheap, REFUND], { by: 'agent', isSlowestFirst: false, isOne: false }).rows.map(({ agent }) => agent),
    ).toEqual(['support', 'cheap']);
  });

  test('none is said in words', () => {
    expect(shown([], 'agent', { isOne: false })).toBe('No runs since 09:00:00.   npx holdfast ls');
  });

  test('many lines are cut, and say so', () => {
    const many = Array.from({ length: 45 }, (_, at) =>
      reportOf(`r${at}`, [started(BEGAN), ...modelAttempt({ from: BEGAN })]),
    );
    const text = tableIn(shown(many, 'call'));
    expect(text.split('\n')).toHaveLength(42);
    expect(text).toContain('… 5 more; all with --json');
  });
});

test.each([
  [0, '$0.00'],
  [1, '$0.000001'],
  [271, '$0.000271'],
  [10_000, '$0.01'],
  [450_000, '$0.45'],
  [10_935_000, '$10.935'],
  [12_000_000, '$12.00'],
  [1_234_567_890_000, '$1,234,567.89'],
])('%d micro-dollars are %s', (micros, words) => {
  expect(dollars(micros)).toBe(words);
});
