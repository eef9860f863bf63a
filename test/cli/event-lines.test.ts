import { expect, test } from '@jest/globals';
import { rememberEvents } from '../../src/cli/event-memory.ts';
import { eventLines, isQuiet } from '../../src/cli/screens/event-lines.ts';
import { workerLogLine } from '../../src/cli/screens/worker-log-line.ts';
import type { RunEvent } from '../../src/contracts/events.ts';
import { at, plainScreen } from './plain-screen.ts';
import { EVENTS } from './samples.ts';

const screen = plainScreen();
const SPEND = { inputTokens: 1, outputTokens: 1, unmetered: 0 };
const RESULT = { status: 'completed', text: 'Done.', open: [], spend: SPEND, taskId: 'r' } as const;

function tellAll(events: readonly RunEvent[]): readonly string[] {
  const memory = rememberEvents();
  return events.map((event, index) => {
    const stored = { ...event, offset: index + 1 };
    memory.note(stored);
    return eventLines(stored, memory, screen);
  });
}

test('a watched run has a line for each event, and the commands that settle a question', () => {
  expect(tellAll(EVENTS)).toEqual([
    '10:01:58  started       agent support · Refund order A-1042',
    '10:01:58  model         turn 1 · thinker-2 …',
    '10:01:59  model         ok · 1 s · 1412 → 58 tokens',
    '10:02:14  refund        turn 2 · refund:A-1042 …',
    '10:02:14  send_note     turn 2 …',
    '10:02:14  send_note     failed · 0 ms · again in 800 ms · send_note: 503 overlo…',
    '10:02:15  send_note     turn 2 · attempt 2 …',
    '10:02:16  send_note     ok · 1 s',
    '10:02:16  send_note     the model is told: ok',
    '10:02:44  refund        outcome unknown · 30 s · refund gave no answer within i…',
    [
      '10:02:44  question      q7f3abc · refund may or may not have happened',
      "                        npx holdfast resolve q7f3abc happened --result '…' --reason '…'",
      "                        npx holdfast resolve q7f3abc did-not-happen --reason '…'",
      '                        What is known: npx holdfast inbox',
    ].join('\n'),
  ]);
});

test.each<[string, RunEvent, string]>([
  [
    'late news',
    { type: 'late-outcome', at: at(10, 3), call: 't2c0', is: 'done' },
    '10:03:00  t2c0          late news: it happened',
  ],
  [
    'a call that waits for an approval',
    { type: 'question-raised', at: at(10, 3), question: 'q1', call: 't1c0', kind: 'approval', tool: 'refund' },
    [
      '10:03:00  question      q1 · may refund be called?',
      "                        npx holdfast approve q1 --reason '…'",
      "                        npx holdfast deny q1 --reason '…'",
      '                        What is known: npx holdfast inbox',
    ].join('\n'),
  ],
  [
    'a question that nobody answered',
    { type: 'question-expired', at: at(10, 3), question: 'q1', call: 't1c0' },
    '10:03:00  expired       q1 · nobody answered in time; asked again',
  ],
  [
    'a decision that did not count',
    { type: 'decision-refused', at: at(10, 3), decision: 'd1', question: 'q1', why: 'It is not signed.' },
    '10:03:00  refused       decision on q1: It is not signed.',
  ],
  [
    'a settled question',
    { type: 'question-settled', at: at(10, 3), question: 'q1', by: 'ann' },
    '10:03:00  settled       q1 by ann',
  ],
  [
    'a long answer, all of it',
    {
      type: 'said',
      at: at(10, 3),
      turn: 3,
      text: 'One refund of $49.00 was made. The customer has been told about it.',
    },
    '10:03:00  answer        One refund of $49.00 was made. The customer has been\n                        told about it.',
  ],
  [
    'the end',
    { type: 'run-ended', at: at(10, 3), status: 'completed', result: RESULT },
    '10:03:00  ended         completed',
  ],
  [
    'an input that was cut',
    { type: 'run-started', at: at(10, 3), agent: 'a', input: '{"order":"A-1' },
    '10:03:00  started       agent a · {"order":"A-1',
  ],
])('it tells %s', (_, event, expected) => {
  expect(tellAll([event])).toEqual([expected]);
});

test('a plain ok is not told twice, a message to the model is told', () => {
  const answered = { type: 'call-answered', at: 0, call: 'c', tool: 't', offset: 1 } as const;
  expect(isQuiet({ ...answered, reply: { status: 'ok' } })).toBe(true);
  expect(isQuiet({ ...answered, reply: { status: 'ok', message: 'NOT applied' } })).toBe(false);
  expect(isQuiet({ ...answered, reply: { status: 'blocked' } })).toBe(false);
});

test.each<[string, Parameters<typeof workerLogLine>[0], boolean, string | undefined]>([
  [
    "a tool's own line",
    { level: 'INFO', message: 'asked the bank', meta: { run: 'r1' } },
    false,
    '10:14:14  r1  asked the bank',
  ],
  [
    'an unknown outcome with the way to the inbox',
    {
      level: 'WARN',
      message: 'Activity failed',
      meta: {
        workflowId: 'r1',
        activityType: 'callTool',
        error: { message: 'no answer', type: 'OutcomeUnknown', stack: 'at x' },
      },
    },
    false,
    '10:14:14  r1  outcome unknown: no answer  npx holdfast inbox',
  ],
  [
    'a failed attempt without its stack',
    { level: 'WARN', message: 'Activity failed', meta: { workflowId: 'r1', error: { message: '503', stack: 'at x' } } },
    false,
    '10:14:14  r1  503',
  ],
  [
    'with its stack when asked',
    { level: 'WARN', message: 'Activity failed', meta: { workflowId: 'r1', error: { message: '503', stack: 'at x' } } },
    true,
    '10:14:14  r1  503\nat x',
  ],
  [
    "nothing of a model's failure that has told of itself",
    { level: 'WARN', message: 'Activity failed', meta: { activityType: 'callModel', error: { message: 'x' } } },
    false,
    undefined,
  ],
  [
    "nothing of the SDK's own news",
    { level: 'INFO', message: 'Worker state changed', meta: { sdkComponent: 'worker' } },
    false,
    undefined,
  ],
  ['nothing that could move the cursor', { level: 'INFO', message: 'a\u001b[2Jb', meta: {} }, false, '10:14:14  a[2Jb'],
])('the log of dev shows %s', (_, log, isVerbose, expected) => {
  expect(workerLogLine(log, isVerbose, screen)).toBe(expected);
});
