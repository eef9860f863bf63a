import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import type { RunEvent } from '../../src/contracts/events.ts';
import type { SpanRecord } from '../../src/contracts/span.ts';
import { spanId, traceId } from '../../src/policy/stable-id.ts';
import { traceOf } from '../../src/policy/trace-of.ts';
import { answered, ended, modelAttempt, OVERLOAD, started, toolAttempt } from './run-events.ts';

const failure = { outcome: 'failure', failure: OVERLOAD } as const;
const retried = { ...failure, nextWaitMs: 40 };

/** A trace as a tree of text: name, from – to, and the error. */
function drawn(spans: readonly SpanRecord[], parent?: string, depth = 0): readonly string[] {
  return spans
    .filter((span) => span.parent?.spanId === parent)
    .flatMap((span) => {
      const { name, startMs, endMs, error } = span;
      const line = `${'  '.repeat(depth)}${name} ${startMs}–${endMs ?? '…'}${error ? ` ${error.type}` : ''}`;
      return [line, ...drawn(spans, span.context.spanId, depth + 1)];
    });
}

const draw = (...events: readonly (RunEvent | readonly RunEvent[])[]) => drawn(traceOf('r', events.flat()));

const named = (spans: readonly SpanRecord[], name: string): SpanRecord => {
  const found = spans.find((span) => span.name === name);
  if (!found) throw new Error(`no span ${name}`);
  return found;
};

describe('the trace of a run', () => {
  it('has a failed attempt and the good one under a call that did not fail', () => {
    const events = [started(0), modelAttempt(1, [1, 3], retried), modelAttempt(2, [43, 60], { outcome: 'success' })];
    expect(draw(...events, ended(70))).toEqual([
      'invoke_agent support 0–70',
      '  chat stand-in 1–60',
      '    attempt chat 1–3 overloaded',
      '    attempt chat 43–60',
    ]);
  });

  it('names what is required of each span, and no gen_ai name on attempts', () => {
    const spans = traceOf('r', [
      started(0),
      ...modelAttempt(1, [1, 3], retried),
      ...modelAttempt(2, [43, 60], { outcome: 'success' }),
      ...toolAttempt(1, [61, 65], { outcome: 'success' }),
      answered(66, 'ok'),
      ended(70),
    ]);
    expect(spans.map(({ kind }) => kind)).toEqual([
      'internal',
      'client',
      'internal',
      'internal',
      'internal',
      'internal',
    ]);
    expect(named(spans, 'invoke_agent support').attributes).toEqual({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': 'support',
      'holdfast.run.id': 'r',
      'holdfast.segment.index': 0,
      'holdfast.segment.end_reason': 'completed',
      'holdfast.run.inference_calls': 1,
      'holdfast.run.tool_calls': 1,
      'holdfast.run.attempts': 3,
    });
    expect(named(spans, 'chat stand-in').attributes).toEqual({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'compatible',
      'gen_ai.request.model': 'stand-in',
      'gen_ai.agent.name': 'support',
      'gen_ai.usage.input_tokens': 35,
      'gen_ai.usage.output_tokens': 25,
      'holdfast.run.id': 'r',
      'holdfast.call.id': 't1',
      'holdfast.call.attempts': 2,
      'holdfast.call.input_tokens_total': 35,
      'holdfast.call.output_tokens_total': 25,
    });
    expect(named(spans, 'execute_tool refund').attributes).toMatchObject({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'refund',
      'holdfast.call.id': 't1c0',
    });
    const attempts = spans.filter(({ name }) => name.startsWith('attempt'));
    expect(attempts[0]?.attributes).toEqual({
      'holdfast.run.id': 'r',
      'holdfast.call.id': 't1',
      'holdfast.attempt.number': 1,
      'holdfast.attempt.kind': 'primary',
      'holdfast.attempt.model': 'compatible/stand-in',
      'holdfast.attempt.outcome': 'failure',
      'holdfast.attempt.retryable': true,
      'holdfast.attempt.next_delay_ms': 40,
      'holdfast.error.reason': 'overload',
      'holdfast.error.status_code': 503,
    });
    expect(
      attempts.flatMap(({ attributes }) => Object.keys(attributes)).filter((name) => name.startsWith('gen_ai')),
    ).toEqual([]);
  });

  it('links an attempt to the one before it', () => {
    const spans = traceOf('r', [
      started(0),
      ...modelAttempt(1, [1, 3], retried),
      ...modelAttempt(2, [43, 60], failure),
    ]);
    const [first, second] = spans.filter(({ name }) => name === 'attempt chat');
    expect(first?.links).toEqual([]);
    expect(second?.links).toEqual([{ to: first?.context, reason: 'previous_attempt' }]);
  });

  it.each<[string, readonly RunEvent[], readonly string[]]>([
    [
      'a model call of which no attempt is left fails the run',
      [...modelAttempt(1, [1, 3], failure), ended(9, 'failed')],
      ['invoke_agent support 0–9 overloaded', '  chat stand-in 1–3 overloaded', '    attempt chat 1–3 overloaded'],
    ],
    [
      'a run that was stopped did not fail',
      [...modelAttempt(1, [1, 3], retried), ended(9, 'stopped')],
      ['invoke_agent support 0–9', '  chat stand-in 1–9', '    attempt chat 1–3 overloaded'],
    ],
    [
      'while the run goes on its ends are open, a wait included',
      modelAttempt(1, [1, 3], retried),
      ['invoke_agent support 0–…', '  chat stand-in 1–…', '    attempt chat 1–3 overloaded'],
    ],
    [
      'an attempt whose worker was lost ends where the next begins',
      [
        ...toolAttempt(1, [1, 2], undefined),
        ...toolAttempt(2, [8, 9], { outcome: 'success' }),
        answered(9, 'ok'),
        ended(10),
      ],
      [
        'invoke_agent support 0–10',
        '  execute_tool refund 1–9',
        '    attempt execute_tool 1–8 worker_lost',
        '    attempt execute_tool 8–9',
      ],
    ],
    [
      'an attempt that ended before it sent anything has no length',
      [...modelAttempt(1, [4, 4], failure).slice(-1), ended(9, 'failed')],
      ['invoke_agent support 0–9 overloaded', '  chat stand-in 4–4 overloaded', '    attempt chat 4–4 overloaded'],
    ],
    [
      'a call that people refused was never attempted',
      [answered(5, 'blocked'), ended(9)],
      ['invoke_agent support 0–9', '  execute_tool refund 5–5 tool_rejected'],
    ],
    [
      'a tool that said no failed, whatever the run made of it',
      [...toolAttempt(1, [1, 2], { outcome: 'failure' }), answered(3, 'failed'), ended(9)],
      ['invoke_agent support 0–9', '  execute_tool refund 1–3 tool_error', '    attempt execute_tool 1–2 _OTHER'],
    ],
    [
      'an event that was written twice counts once',
      [
        ...modelAttempt(1, [1, 3], { outcome: 'success' }),
        ...modelAttempt(1, [1, 3], { outcome: 'success' }),
        ended(9),
      ],
      ['invoke_agent support 0–9', '  chat stand-in 1–3', '    attempt chat 1–3'],
    ],
    [
      'people are waited for, and late news is a moment under its call',
      [
        ...toolAttempt(1, [1, 2], { outcome: 'unknown' }),
        { type: 'question-raised', at: 3, question: 'q1', call: 't1c0', kind: 'outcome' },
        { type: 'late-outcome', at: 7, call: 't1c0', is: 'done' },
        { type: 'question-settled', at: 8, question: 'q1', by: 'ann' },
        answered(8, 'ok'),
        ended(9),
      ],
      [
        'invoke_agent support 0–9',
        '  execute_tool refund 1–8',
        '    attempt execute_tool 1–2 _OTHER',
        '    late_outcome 7–7',
        '  await_human outcome 3–8',
      ],
    ],
    [
      'a call that waited for its provider before its first attempt began with the wait',
      [
        { type: 'call-waits', at: 2, call: 't1', turn: 1, waitMs: 20, why: 'a pause' },
        ...modelAttempt(1, [25, 30], { outcome: 'success' }),
        ended(31),
      ],
      ['invoke_agent support 0–31', '  chat stand-in 2–30', '    attempt chat 25–30'],
    ],
    [
      'nobody answered in time',
      [
        { type: 'question-raised', at: 3, question: 'q1', call: 't1c0', kind: 'approval' },
        { type: 'question-expired', at: 7, question: 'q1', call: 't1c0' },
      ],
      ['invoke_agent support 0–…', '  await_human approval 3–7 human_timeout'],
    ],
  ])('%s', (_, events, tree) => {
    expect(draw(started(0), events)).toEqual(tree);
  });

  it('shows each request of an attempt that asked several models', () => {
    const [begin, , , end] = modelAttempt(1, [1, 9], { outcome: 'success' });
    const about = { call: 't1', turn: 1, attempt: 1, account: 'compatible' } as const;
    const usage = { inputTokens: 5, outputTokens: null, cacheReadTokens: null, cacheWriteTokens: null };
    const first = { ...about, part: 1, model: 'slow', reason: 'first' } as const;
    const hedge = { ...about, part: 2, model: 'quick', reason: 'hedge' } as const;
    const spans = traceOf('r', [
      started(0),
      ...(begin ? [begin] : []),
      { type: 'request-sent', at: 1, ...first },
      { type: 'request-sent', at: 4, ...hedge },
      { type: 'request-ended', at: 6, ...first, outcome: 'lost-hedge', usage },
      { type: 'request-ended', at: 9, ...hedge, outcome: 'whole', usage },
      ...(end ? [end] : []),
      ended(10),
    ]);
    expect(drawn(spans)).toEqual([
      'invoke_agent support 0–10',
      '  chat stand-in 1–9',
      '    attempt chat 1–9',
      '      request slow 1–6',
      '      request quick 4–9',
    ]);
    expect(named(spans, 'request slow').attributes).toMatchObject({
      'holdfast.attempt.outcome': 'cancelled',
      'holdfast.attempt.kind': 'primary',
    });
    expect(named(spans, 'request quick').attributes).toMatchObject({ 'holdfast.attempt.kind': 'hedge' });
    // Ten tokens were paid for, of which five are the answer's.
    expect(named(spans, 'chat stand-in').attributes).toMatchObject({
      'gen_ai.usage.input_tokens': 35,
      'holdfast.call.input_tokens_total': 10,
    });
  });

  it('is empty when its start is not on record', () => {
    expect(draw(modelAttempt(1, [1, 3], failure))).toEqual([]);
  });
});

const someEvents: fc.Arbitrary<readonly RunEvent[]> = fc
  .array(
    fc.oneof(
      fc
        .tuple(fc.integer({ min: 1, max: 3 }), fc.nat(50), fc.constantFrom('success', 'failure', 'cancelled', 'parked'))
        .map(([attempt, at, outcome]) => modelAttempt(attempt, [at, at + 5], { outcome } as const)),
      fc
        .tuple(fc.integer({ min: 1, max: 3 }), fc.nat(50), fc.boolean())
        .map(([attempt, at, isLost]) =>
          toolAttempt(attempt, [at, at + 5], isLost ? undefined : { outcome: 'unknown' }),
        ),
      fc.nat(60).map((at) => [answered(at, 'ok')]),
    ),
    { maxLength: 8 },
  )
  .map((groups) => [started(0), ...groups.flat()]);

describe('whatever is on record', () => {
  it('no id comes twice, no span is an orphan, parents come first, and the same events give the same trace', () => {
    fc.assert(
      fc.property(someEvents, fc.boolean(), (events, isOver) => {
        const all = isOver ? [...events, ended(100)] : events;
        const spans = traceOf('r', all);
        const ids = spans.map(({ context }) => context.spanId);
        expect(new Set(ids).size).toBe(ids.length);
        expect(new Set(spans.map(({ context }) => context.traceId)).size).toBe(1);
        spans.forEach(({ parent }, at) => {
          if (at === 0) expect(parent).toBeUndefined();
          else expect(ids.slice(0, at)).toContain(parent?.spanId);
        });
        if (isOver) for (const { endMs } of spans) expect(endMs).not.toBeNull();
        expect(traceOf('r', all)).toEqual(spans);
        // What is known of a run while it goes on has the ids it will have in the end.
        const soFar = traceOf('r', all.slice(0, Math.ceil(all.length / 2))).map(({ context }) => context.spanId);
        expect(ids).toEqual(expect.arrayContaining(soFar));
      }),
    );
  });
});

test('ids are hexadecimal, as long as OpenTelemetry wants them, and apart for everything that is apart', () => {
  expect(traceId('r')).toMatch(/^[0-9a-f]{32}$/);
  const subjects = ['r', 's'].flatMap((run) => [
    ...[0, 1].map((segment) => spanId({ run, segment })),
    ...['t1', 't1c0'].flatMap((call) => [
      spanId({ run, call }),
      ...[1, 2].flatMap((attempt) => [spanId({ run, call, attempt }), spanId({ run, call, attempt, part: 1 })]),
    ]),
  ]);
  for (const id of subjects) expect(id).toMatch(/^[0-9a-f]{16}$/);
  expect(new Set(subjects).size).toBe(subjects.length);
});

test('ids do not change between versions', () => {
  expect([traceId('run-1'), spanId({ run: 'run-1', call: 't1', attempt: 2 })]).toMatchInlineSnapshot(`
   [
     "e3bc6e785ab1f152bf4df9687f6dbc4c",
     "4e1b7d79af4848d8",
   ]
  `);
});
