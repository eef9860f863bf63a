import { describe, expect, test } from '@jest/globals';
import { reportRun, type RunSources } from '../../src/cli/run-report.ts';
import { inboxScreen } from '../../src/cli/screens/inbox-screen.ts';
import { lsScreen } from '../../src/cli/screens/ls-screen.ts';
import { nextLines } from '../../src/cli/screens/next-lines.ts';
import { showScreen } from '../../src/cli/screens/show-screen.ts';
import { startedLines } from '../../src/cli/screens/started-lines.ts';
import type { Money } from '../../src/contracts/bill.ts';
import type { RunCost } from '../../src/contracts/cost.ts';
import type { LedgerRecord } from '../../src/contracts/ledger.ts';
import type { RunView } from '../../src/contracts/run.ts';
import { costReport } from '../../src/policy/cost-report.ts';
import { modelAttempt, PRICES, started, type SampleRequest } from '../policy/cost-events.ts';
import { at, plainScreen } from './plain-screen.ts';
import { APPROVAL, COST, EVENTS, QUESTION, ROW, VIEW } from './samples.ts';

const screen = plainScreen();
const ITEM = {
  question: QUESTION,
  agent: 'support',
  turn: 2,
  from: 'run' as const,
  canAbort: true,
  webUrl: 'http://ui/refund-A-1042',
};
const SOURCES: RunSources = {
  row: ROW,
  view: VIEW,
  events: EVENTS,
  records: [],
  cost: undefined,
  failure: undefined,
  signed: false,
  webUrl: undefined,
  now: screen.now,
};

const lines = (...all: readonly string[]): string => all.join('\n');
const claimedBy = {
  ...{ task: 'refund-A-1042', run: 'refund-A-1042', execution: 'e', tool: 'refund', generation: 1 },
  at: at(10, 2, 14),
} as const;
const claimed: LedgerRecord = {
  is: 'claimed',
  counter: 1,
  key: QUESTION.key,
  task: 'refund-A-1042',
  run: 'refund-A-1042',
  execution: 'e',
  call: 't2c0',
  tool: 'refund',
  generation: 1,
  at: at(10, 2, 14),
  claim: 'c1',
  schedule: 1,
  holder: '1@host',
  sendBy: at(10, 2, 44),
  input: QUESTION.input,
  digest: '0123456789abcdef0123',
  landsWithinMs: 600_000,
  effect: 'unflagged',
};

describe('the inbox', () => {
  test('says of each effect what is known and which commands settle it', () => {
    expect(inboxScreen([ITEM], [], screen)).toBe(
      lines(
        '1 waiting for a person',
        '',
        'q7f3abc  outcome unknown · refund · 11 min ago',
        '      run      refund-A-1042  (agent support, turn 2)',
        '      intent   refund:A-1042',
        '      input    {"orderId":"A-1042","amount":49}',
        '      sent     10:02:14 · sight lost 10:02:44 · can no longer land',
        '      known    refund gave no answer within its time-out of 30 s.',
        '               Ledger: claimed, no outcome recorded.',
        "      decide   npx holdfast resolve q7f3abc happened --result '…' --reason '…'",
        "               npx holdfast resolve q7f3abc did-not-happen --reason '…'",
        '               also: reversed, abort',
        '      more     npx holdfast show refund-A-1042',
        '               http://ui/refund-A-1042',
      ),
    );
  });

  test('says of a call that waits for people what it wants, why, how many agree, and how to answer', () => {
    expect(inboxScreen([{ ...ITEM, question: APPROVAL }], [], screen)).toBe(
      lines(
        '1 waiting for a person',
        '',
        'qk21c7a  approval · refund · $900.00 · 11 min ago',
        '      run      refund-A-1042  (agent support, turn 2)',
        '      intent   refund:A-1042',
        '      wants    {"orderId":"A-1042","amount":900}',
        '      because  a refund above $100',
        '      expires  in 7 d, then asked again',
        '      agreed   1 of 2 people: ann',
        "      decide   npx holdfast approve qk21c7a --reason '…'",
        "               npx holdfast deny qk21c7a --reason '…'",
        '      more     npx holdfast show refund-A-1042',
        '               http://ui/refund-A-1042',
      ),
    );
  });

  test('offers no abort where none counts', () => {
    const shown = inboxScreen([{ ...ITEM, canAbort: false }], [], screen);
    expect(shown).toContain("did-not-happen --reason '…'\n               also: reversed\n");
  });

  test('names the run in a command where another run may ask under the same id', () => {
    const shared = { ...QUESTION, key: { ...QUESTION.key, scope: 'agent:support' } };
    const shown = inboxScreen([{ ...ITEM, question: shared }], [], screen);
    expect(shown).toContain("did-not-happen --reason '…' --run refund-A-1042\n");
  });

  test.each([
    ['closed', 'closed, the ledger asks'],
    ['silent', 'no worker answers for it, the ledger asks'],
    ['working', 'has not asked yet, the ledger knows'],
  ] as const)('says why only the ledger asks: the run is %s', (runIs, words) => {
    expect(inboxScreen([{ ...ITEM, from: 'ledger', runIs }], [], screen)).toContain(words);
  });

  test('lists runs that wait and cannot say for what', () => {
    const shown = inboxScreen([], [{ ...ROW, waitingFor: ['approval'] }], screen);
    expect(shown).toContain('1 waiting for a person');
    expect(shown).toContain('refund-A-1042  waits for: approval');
  });

  test('says until when "did not happen" proves nothing', () => {
    const early = inboxScreen([ITEM], [], plainScreen({ now: at(10, 3, 14) }));
    expect(early).toContain('may still land until 10:12:44');
    expect(early).toContain('did-not-happen counts from 10:12:44 on, in 9 min 30 s');
  });

  test('keeps to the width it has, but never cuts a command', () => {
    const long = { ...QUESTION, input: { is: 'inline', value: 'x'.repeat(300) } as const };
    const shown = inboxScreen([{ ...ITEM, question: long }], [], screen).split('\n');
    expect(shown.filter((line) => line.length > 80 && !line.includes('npx holdfast'))).toEqual([]);
    expect(shown.join()).toContain('x…');
  });

  test('says that the ledger asks where the run does not', () => {
    const item = { ...ITEM, agent: '', turn: undefined, from: 'ledger' as const };
    expect(inboxScreen([item], [], screen)).toContain('run      refund-A-1042  (closed, the ledger asks)');
  });

  test('has a friendly word when it is empty', () => {
    expect(inboxScreen([], [], screen)).toBe('Nothing waits for a person.   Runs: npx holdfast ls');
  });
});

describe('a shown run', () => {
  test('has its calls by turn, with attempts, waits, tokens and questions', () => {
    expect(showScreen(reportRun(SOURCES), screen).split('\n').slice(0, 9)).toEqual([
      'waiting for a person · agent support · turn 2 · started 10:01:58 · $0.0041',
      'refund-A-1042 · 1,412 → 58 tokens · 1 unmetered',
      '',
      '  1  model  thinker-2  1 s   1,412 → 58 tokens',
      '  2  tool   refund     30 s  outcome unknown → q7f3abc · refund:A-1042',
      '     tool   send_note  2 s   2 attempts · 503, waited 800 ms · ok',
      '',
      'q7f3abc  outcome unknown · refund · 11 min ago',
      '      intent   refund:A-1042',
    ]);
  });

  const spent = (money: Partial<Money>): RunView => {
    return { ...VIEW, spend: { ...VIEW.spend, cost: { ...COST, ...money } } };
  };
  const recorded = (...requests: readonly SampleRequest[]): RunCost => {
    const events = [started(), ...modelAttempt({ requests })];
    return costReport({ run: 'r', events, prices: PRICES, now: screen.now });
  };

  test.each<[string, string, Partial<RunSources>]>([
    ['as the run has it', ' · $0.0041', {}],
    ['partly an estimate', ' · ~$0.0041', { view: spent({ estimated: 1, estimatedMicros: 9 }) }],
    ['partly not known', ' · $0.0041 + ?', { view: spent({ unknown: 1 }) }],
    ['not known', ' · cost ?', { view: spent({ micros: 0, requests: 1, unknown: 1 }) }],
    ['nothing was asked yet', '', { view: spent({ micros: 0, requests: 0 }) }],
    ['of an older version', '', { view: { ...VIEW, spend: { inputTokens: 1, outputTokens: 1, unmetered: 0 } } }],
    ['as on record, where the run does not answer', ' · $0.00045', { view: undefined, cost: recorded({ end: {} }) }],
    ['as corrected since', ' · $0.00045', { view: spent({ requests: 1, unknown: 1 }), cost: recorded({ end: {} }) }],
    ['as the run has it, where its events were lost', ' · $0.0041', { cost: recorded({ end: {} }) }],
    [
      'as the run has it, where no price is known here',
      ' · $0.0041',
      { cost: recorded({ end: {} }, { model: 'strange', end: {} }) },
    ],
  ])('says on its first line what it has cost: %s', (_, words, sources) => {
    const [first] = showScreen(reportRun({ ...SOURCES, ...sources }), screen).split('\n');
    expect(first?.split('started 10:01:58')[1]).toBe(words);
  });

  test.each<[string, boolean, Partial<RunSources>]>([
    ['it asks itself', true, {}],
    ['decisions are signed', false, { signed: true }],
    ['only the ledger asks', false, { view: undefined, records: [claimed] }],
    ['it has ended', false, { row: { ...ROW, closedAt: at(10, 5) }, records: [claimed] }],
  ])('offers to abort it only while it can hear of it: %s, %s', (_, isOffered, sources) => {
    const shown = showScreen(reportRun({ ...SOURCES, ...sources }), screen);
    expect(shown).toContain('also: reversed');
    expect(shown.includes('abort')).toBe(isOffered);
  });

  test('says what waits for an approval, who decided what, which words did not count, and which rules hold', () => {
    const about = { key: QUESTION.key, ...claimedBy, call: 't1c0' } as const;
    const word = { id: 'd1', question: 'qaaa', verdict: 'approve', by: 'ann', reason: 'small' } as const;
    const where = { amount: 5 };
    const records: readonly LedgerRecord[] = [
      { ...about, counter: 1, is: 'decided', digest: 'd', decision: { ...word, remember: { where } } },
      // Another person under the same id is another word; the same word on the call that it made is not.
      { ...about, counter: 4, is: 'decided', digest: 'd', decision: { ...word, by: 'bob', reason: 'fine' } },
      { ...about, counter: 5, is: 'decided', digest: 'e', call: 't1c0e', decision: word },
      { ...about, counter: 2, is: 'ruled', rule: { id: 'd1', tool: 'refund', where, by: 'ann', reason: 'small' } },
      { ...about, counter: 3, is: 'declined', why: 'It is not signed.', decision: { ...word, by: 'eve', id: 'd2' } },
    ];
    const expired = { type: 'question-expired', at: at(10, 3), question: 'qbbb', call: 't2c0', offset: 99 } as const;
    const questions = [{ ...APPROVAL, id: 'q7f3abc' }];
    const refused = [{ id: 'd2', question: 'qaaa', why: 'It is not signed.', at: 1 }];
    const view = { ...VIEW, questions, refused };
    const told = (sources: Partial<RunSources>) =>
      showScreen(reportRun({ ...SOURCES, records, events: [...EVENTS, expired], ...sources }), screen);
    const shown = told({ view });
    expect(shown).toContain('waits for an approval → q7f3abc');
    expect(shown).toContain(
      lines(
        'Decisions',
        '  10:02:14  qaaa  refund · ann approved it: small.',
        '  10:02:14  qaaa  refund · bob approved it: fine.',
        '  10:03:00  qbbb  nobody answered in time; asked again',
        '',
        'Rule: refund where amount = 5 needs no further approval in this task (ann:',
        'small)',
        '',
        'Refused decision on qaaa: It is not signed.',
      ),
    );
    // Without a worker the ledger knows as much.
    expect(told({ view: undefined })).toContain('Refused decision on qaaa: It is not signed.');
  });

  test('says that a call was made with other arguments, and ends the wait for it there', () => {
    const [, call] = VIEW.calls;
    const edited = { ...call!, call: 't2c0e', startedAt: at(10, 4), endedAt: at(10, 5), state: 'ok' };
    const shown = showScreen(
      reportRun({ ...SOURCES, events: [], view: { ...VIEW, questions: [], calls: [call!, edited] } }),
      screen,
    );
    expect(shown).toContain('1 min 46 s  other arguments approved · refund:A-1042');
  });

  test('is told from the records when no worker answers, and says so', () => {
    const shown = showScreen(reportRun({ ...SOURCES, view: undefined, records: [claimed] }), screen);
    expect(shown).toContain('No worker answers for this run.');
    expect(shown).toContain('A worker: npx holdfast dev');
    expect(shown).toContain('  1  model  thinker-2  1 s   1,412 → 58 tokens');
    expect(shown).toMatch(/refund {5}30 s {2}outcome unknown → q\w{6} · refund:A-1042/);
    expect(shown).toMatch(/npx holdfast resolve q\w{6} happened/);
  });

  test('does not hide what it left open when it ended', () => {
    const row = { ...ROW, status: 'stopped', closedAt: at(10, 3) };
    const view = { ...VIEW, status: 'stopped', questions: [], answer: 'Stopped.' } as const;
    const shown = showScreen(reportRun({ ...SOURCES, row, view, records: [claimed] }), screen);
    expect(shown).toContain('stopped · agent support · turn 2 · started 10:01:58 · took 1 min 2 s');
    expect(shown).toContain('Answer\n  Stopped.');
    expect(shown).toMatch(/npx holdfast resolve q\w{6} did-not-happen/);
    expect(shown).not.toContain('npx holdfast watch');
  });

  test('that failed says why', () => {
    const row = { ...ROW, status: 'failed', closedAt: at(10, 3) };
    const shown = showScreen(reportRun({ ...SOURCES, row, failure: 'This worker knows no agent "support".' }), screen);
    expect(shown).toMatch(/^failed/);
    expect(shown).toContain('This worker knows no agent "support".');
  });

  test('counts the calls it leaves out', () => {
    const call = VIEW.calls[2]!;
    const calls = Array.from({ length: 47 }, (_, turn) => ({ ...call, call: `t${turn}c0`, turn }));
    const shown = showScreen(reportRun({ ...SOURCES, view: { ...VIEW, calls, questions: [] } }), screen);
    expect(shown).toContain('… 7 earlier calls; all with --json');
    expect(shown.match(/send_note/g)).toHaveLength(40);
  });
});

describe('the list', () => {
  const list = (rows: Parameters<typeof lsScreen>[0], filter = {}) => lsScreen(rows, { filter }, screen);
  test.each([
    [
      'has a line for each run, and the way to the inbox',
      list([ROW, { ...ROW, run: 'b', agent: '', status: 'completed', closedAt: at(10, 2) }]),
      lines(
        'status     run            agent    started     took  waits for',
        'waiting    refund-A-1042  support  12 min ago        outcome',
        'completed  b              -        12 min ago  2 s',
        'Decide: npx holdfast inbox',
      ),
    ],
    ['says how to begin when there are none', list([]), "No runs yet.   npx holdfast start AGENT --input '…'"],
    [
      'says what was asked for when nothing matches',
      list([], { agent: 'a', status: 'waiting' }),
      'No runs of agent a that are waiting.',
    ],
    [
      'says that there may be more',
      list([{ ...ROW, status: 'running', waitingFor: [] }], { limit: 1 })
        .split('\n')
        .at(-1),
      'The newest 1; more with --limit N.',
    ],
  ])('%s', (_, shown, expected) => {
    expect(shown).toBe(expected);
  });
});

describe('what follows a decision', () => {
  test.each([
    [
      'is the end, with the answer',
      { is: 'ended', status: 'completed', text: 'One refund\nwas made.' },
      'The run has ended: completed.\n  One refund\n  was made.',
    ],
    ['is the next question', { is: 'asks', question: 'q1' }, 'The run waits for a person: q1.\n  npx holdfast inbox'],
    [
      'is an answer with something still open',
      { is: 'answered', text: 'Done.', open: 2 },
      'The run has answered; 2 outcomes are still open.\n  Done.\n  npx holdfast inbox',
    ],
    [
      'is the call that the run is at',
      { is: 'works', turn: 4, on: 'refund' },
      'The run goes on: turn 4, refund at work.\n  npx holdfast watch r',
    ],
    ['is silence, which is said', { is: 'silent' }, 'Nothing was heard of the run yet.\n  npx holdfast show r'],
  ] as const)('%s', (_, next, expected) => {
    expect(nextLines(next, 'r', screen)).toBe(expected);
  });
});

describe('a started run', () => {
  test.each([
    ['can be watched', 'started', true, 'Started r\n  Watch   npx holdfast watch r\n  Web UI  http://ui'],
    [
      'that was running already, and that has no worker, says so',
      'joined',
      false,
      [
        'Joined, it was running: r',
        '  Watch   npx holdfast watch r',
        '  Web UI  http://ui',
        '  Worker  none yet: the run waits for one.  npx holdfast dev',
      ].join('\n'),
    ],
    [
      'that had ended says that nothing was started',
      'kept',
      false,
      'Nothing was started, it has its answer: r\n  Show    npx holdfast show r\n  Web UI  http://ui',
    ],
  ] as const)('%s', (_, begun, isServed, expected) => {
    expect(startedLines({ run: 'r', begun, isServed, webUrl: 'http://ui' }, screen)).toBe(expected);
  });
});
