import { describe, expect, it, test } from '@jest/globals';
import type { RunEvent } from '../../src/contracts/events.ts';
import type { Failure } from '../../src/contracts/failure.ts';
import type { ErrorType } from '../../src/contracts/telemetry-names.ts';
import { errorTypeOf } from '../../src/policy/error-type.ts';
import { lineOfEvent } from '../../src/policy/line-of-event.ts';
import { attemptFields, lineFields, type AttemptNews } from '../../src/policy/log-fields.ts';
import { spanId, traceId } from '../../src/policy/stable-id.ts';
import { answered, ended, modelAttempt, OVERLOAD, started, toolAttempt } from './run-events.ts';

describe('the fields of a line', () => {
  it('name the run, the call, the attempt, and the span that is about them', () => {
    expect(lineFields({ run: 'r', execution: 'e', agent: 'support', turn: 2, attempt: 3 })).toEqual({
      'holdfast.run.id': 'r',
      'temporal.workflow.run_id': 'e',
      'gen_ai.agent.name': 'support',
      'holdfast.call.id': 't2',
      'holdfast.attempt.number': 3,
      trace_id: traceId('r'),
      span_id: spanId({ run: 'r', call: 't2', attempt: 3 }),
    });
  });

  it.each([
    [{ run: 'r' }, { run: 'r', segment: 0 }],
    [
      { run: 'r', call: 't1c0', tool: 'refund' },
      { run: 'r', call: 't1c0' },
    ],
    [
      { run: 'r', call: 't1c0', attempt: 1 },
      { run: 'r', call: 't1c0', attempt: 1 },
    ],
  ])('of %j lead to the span of %j', (about, subject) => {
    expect(lineFields(about)).toMatchObject({ trace_id: traceId('r'), span_id: spanId(subject) });
  });
});

test.each<[AttemptNews, Readonly<Record<string, unknown>>]>([
  [
    { reason: 'overload', delayMs: 500, maxAttempts: 5 },
    {
      'event.name': 'holdfast.attempt.failed',
      'error.type': 'overloaded',
      will_retry: true,
      next_delay_ms: 500,
      max_attempts: 5,
    },
  ],
  [
    { reason: 'auth', final: 'permanent' },
    { 'event.name': 'holdfast.attempt.failed', 'error.type': 'auth', will_retry: false },
  ],
  [{ delayMs: 20_000 }, { 'event.name': 'holdfast.attempt.parked', will_retry: true, next_delay_ms: 20_000 }],
  [{ event: 'holdfast.other' }, { 'event.name': 'holdfast.other' }],
  [{}, {}],
])('what became of an attempt: %j', (news, fields) => {
  expect(attemptFields(news)).toEqual(fields);
});

test.each<[Partial<Failure>, ErrorType]>([
  [{ kind: 'transient', reason: 'overload', status: 503 }, 'overloaded'],
  [{ kind: 'transient', reason: 'rate', status: 429 }, 'rate_limited'],
  [{ kind: 'transient', reason: 'network' }, 'connection'],
  [{ kind: 'transient', status: 429 }, 'rate_limited'],
  [{ kind: 'transient', status: 503 }, 'overloaded'],
  [{ kind: 'permanent', status: 401 }, 'auth'],
  [{ kind: 'permanent', status: 404 }, 'invalid_request'],
  [{ kind: 'timed-out', reason: 'network' }, 'timeout'],
  [{ kind: 'cancelled', reason: 'caller' }, 'cancelled'],
  [{ kind: 'thrown' }, 'tool_error'],
  [{ kind: 'unreadable', status: 200 }, 'invalid_output'],
  [{ kind: 'permanent', reason: 'context-length', status: 400 }, 'context_length'],
  [{ kind: 'transient', reason: 'server', status: 500 }, '_OTHER'],
  [{}, '_OTHER'],
])('the error type of %j is %s', (failure, type) => {
  expect(errorTypeOf(failure)).toBe(type);
});

describe('the log line of an event', () => {
  const line = (event: RunEvent | undefined) => event && lineOfEvent('r', event);

  it('tells of a failed attempt of a tool, and whether it is tried again', () => {
    const end = {
      outcome: 'failure',
      failure: { ...OVERLOAD, message: 'Bearer abc.def 503' },
      nextWaitMs: 300,
    } as const;
    expect(line(toolAttempt(2, [1, 2], end)[1])).toMatchObject({
      level: 'warn',
      message: 'Bearer *** 503',
      fields: {
        'event.name': 'holdfast.attempt.failed',
        'holdfast.call.id': 't1c0',
        'holdfast.attempt.number': 2,
        'gen_ai.tool.name': 'refund',
        'error.type': 'overloaded',
        will_retry: true,
        next_delay_ms: 300,
        span_id: spanId({ run: 'r', call: 't1c0', attempt: 2 }),
      },
    });
  });

  it.each<[string, RunEvent | undefined, string, string]>([
    ['the start of a run', started(0), 'info', 'holdfast.run.started'],
    ['the end of a run', ended(0), 'info', 'holdfast.run.finished'],
    ['late news', { type: 'late-outcome', at: 1, call: 't1c0', is: 'done' }, 'warn', 'holdfast.attempt.late_outcome'],
    [
      'late news that denies a decision',
      { type: 'late-outcome', at: 1, call: 't1c0', is: 'done', contradicts: 'ann said no' },
      'error',
      'holdfast.attempt.late_outcome',
    ],
    ['a question', { type: 'question-raised', at: 1, question: 'q', call: 'c' }, 'info', 'holdfast.human.requested'],
    ['its answer', { type: 'question-settled', at: 1, question: 'q', by: 'ann' }, 'info', 'holdfast.human.resolved'],
  ])('tells of %s', (_, event, level, name) => {
    expect(line(event)).toMatchObject({ level, fields: { 'event.name': name, 'holdfast.run.id': 'r' } });
  });

  it('leaves a model to tell of itself, and says nothing of what went well', () => {
    const quiet = [
      ...modelAttempt(1, [1, 2], { outcome: 'failure', failure: OVERLOAD }),
      ...toolAttempt(1, [1, 2], { outcome: 'success' }),
      answered(3, 'ok'),
    ];
    expect(quiet.map(line)).toEqual(quiet.map(() => undefined));
  });
});
