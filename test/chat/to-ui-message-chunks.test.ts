import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import type { RunEvent } from '../../src/contracts/events.ts';
import {
  answered,
  chunksOf,
  ended,
  linesOf,
  piece,
  planned,
  raised,
  reset,
  said,
  settled,
  shown,
  shownAfter,
  started,
  story,
  words,
} from './run-story.ts';

const REFUND = { orderId: 'A-1', amount: 49 };
const refundPieces = ['{"orderId":', '"A-1","amount":49}'].map((delta) =>
  piece('t1', delta, { of: 'tool-input', part: 'call_1', tool: 'refund' }),
);
const typesOf = async (...events: readonly (RunEvent | readonly RunEvent[])[]) =>
  (await chunksOf(story(...events))).map(({ type }) => type);

describe('a run as a chat message', () => {
  it('begins before the first event, under an id that is the same each time', async () => {
    expect((await chunksOf([]))[0]).toEqual({ type: 'start', messageId: 'run-1', messageMetadata: { run: 'run-1' } });
  });

  it('has every word once, whether the run has ended or not', async () => {
    const text = 'Your refund is on its way.';
    expect(linesOf(await shown(started, words('t1', text)))).toEqual(['--', `text: ${text}`]);
    expect(linesOf(await shown(started, words('t1', text), said(1, text), ended(text)))).toEqual([
      '--',
      `text: ${text}`,
    ]);
  });

  it('ends with the run, its status and what it used', async () => {
    expect(await shown(words('t1', 'Done.'), said(1, 'Done.'), ended('Done.'))).toMatchObject({
      id: 'run-1',
      metadata: { run: 'run-1', status: 'completed', spend: { inputTokens: 12, outputTokens: 3 } },
      parts: [{}, { text: 'Done.', state: 'done' }],
    });
    expect(await typesOf(words('t1', 'Done.'), said(1, 'Done.'), ended('Done.'))).toEqual([
      ...['start', 'start-step', 'text-start', 'text-delta', 'text-end', 'finish-step', 'finish'],
    ]);
  });

  it('shows a tool call from its first piece to its answer, a step for each turn', async () => {
    const asked = [started, ...words('t1', 'I look.'), ...refundPieces, planned('t1c0', 'refund', REFUND)];
    expect(linesOf(await shown(started, refundPieces))).toEqual([
      `--`,
      `refund ${JSON.stringify(REFUND)} input-streaming`,
    ]);
    const told = answered('t1c0', 'refund', { status: 'ok', data: { id: 're_1' } });
    expect(
      linesOf(await shown(asked, told, words('t2', 'Refunded.'), said(2, 'Refunded.'), ended('Refunded.'))),
    ).toEqual([
      '--',
      'text: I look.',
      `refund ${JSON.stringify(REFUND)} output-available {"id":"re_1"}`,
      '--',
      'text: Refunded.',
    ]);
  });

  it('marks tools as run on the server, and names our id of the call', async () => {
    const { parts } = await shown(refundPieces, planned('t1c0', 'refund', REFUND));
    expect(parts[1]).toMatchObject({ toolCallId: 't1.call_1', providerExecuted: true, toolMetadata: { call: 't1c0' } });
  });

  test.each([
    ['failed', 'The order is unknown.'],
    ['unavailable', 'Payments is away.'],
    ['blocked', 'Another refund is unsettled.'],
  ] as const)('a call that was answered with %s is an error with the words the model read', async (status, message) => {
    const events = [planned('t1c0', 'refund', REFUND), answered('t1c0', 'refund', { status, message })];
    expect(linesOf(await shown(...events)).at(-1)).toBe(`refund ${JSON.stringify(REFUND)} output-error ${message}`);
  });

  it('an outcome that is still open is a preliminary output', async () => {
    const reply = { status: 'pending', message: 'It may have happened.', handle: 'q1' } as const;
    const { parts } = await shown(planned('t1c0', 'refund', REFUND), answered('t1c0', 'refund', reply));
    expect(parts[1]).toMatchObject({ state: 'output-available', preliminary: true, output: reply });
  });

  it('an approved call with other arguments answers in the place of the one that was asked for', async () => {
    const told = answered('t1c0e', 'refund', { status: 'ok', data: 1 });
    expect(linesOf(await shown(planned('t1c0', 'refund', REFUND), told))).toHaveLength(2);
  });

  it('two calls under one id of the model are two', async () => {
    const events = [planned('t1c0', 'look', { at: 1 }), planned('t1c1', 'look', { at: 2 })];
    const told = ['t1c0', 't1c1'].map((call) => answered(call, 'look', { status: 'ok', data: call }));
    expect(linesOf(await shown(...events, ...told))).toEqual([
      '--',
      'look {"at":1} output-available "t1c0"',
      'look {"at":2} output-available "t1c1"',
    ]);
  });

  it('an id that the model uses again in the next turn is another call', async () => {
    const told = (call: string) => answered(call, 'look', { status: 'ok', data: call });
    const events = [planned('t1c0', 'look', 1), told('t1c0'), planned('t2c0', 'look', 2), told('t2c0')];
    expect(linesOf(await shown(...events)).filter((line) => line.startsWith('look'))).toEqual([
      'look 1 output-available "t1c0"',
      'look 2 output-available "t2c0"',
    ]);
  });

  it('a call that was answered at once, with no word of it on record, is closed when the model goes on', async () => {
    const begun: RunEvent = {
      ...{ type: 'attempt-started', at: 0, call: 't1c1', turn: 1, attempt: 1, kind: 'tool', name: 'slow' },
    };
    const calls = [planned('t1c0', 'refund', {}, 'a'), planned('t1c1', 'slow', {}, 'b'), begun];
    const checked = planned('t1c2', 'check_outcome', { handle: 'q1' }, 'c');
    expect(linesOf(await shown(...calls, checked, piece('t2', 'So.')))).toEqual([
      '--',
      'refund {} output-error This call was not run; the model was told why.',
      'slow {} input-available',
      'check_outcome {"handle":"q1"} output-available null',
      '--',
      'text: So.',
    ]);
  });

  it('a call nobody has planned on record is shown with its answer', async () => {
    expect(linesOf(await shown(answered('t1c0', 'refund', { status: 'ok', data: 7 })))).toEqual([
      '--',
      'refund {} output-available 7',
    ]);
  });

  it('reasoning and text are parts of their own, each done when the next begins', async () => {
    const events = [piece('t1', 'Hm', { of: 'reasoning' }), piece('t1', 'Yes.')];
    expect((await shown(...events)).parts).toMatchObject([
      { type: 'step-start' },
      { type: 'reasoning', text: 'Hm', state: 'done' },
      { type: 'text', text: 'Yes.', state: 'streaming' },
    ]);
    expect((await shown(...events, ...refundPieces)).parts[2]).toMatchObject({ text: 'Yes.', state: 'done' });
  });

  it('a call that was written and never made says so', async () => {
    expect(linesOf(await shown(...refundPieces, piece('t2', 'So.')))[1]).toMatch(/^refund .*This call was not made\.$/);
  });

  it('what comes late of a turn before is not shown in the next', async () => {
    expect(linesOf(await shown(piece('t2', 'So.'), piece('t1', 'late'), reset('t1', 2)))).toEqual(['--', 'text: So.']);
  });
});

describe('a reply that begins anew', () => {
  const text = 'Your refund is on its way.';

  it('leaves no word of the attempt that was cut', async () => {
    const events = [words('t1', 'Your refund has be'), reset('t1', 2), words('t1', text, { stream: 2 })];
    expect(linesOf(await shown(...events, said(1, text), ended(text)))).toEqual(['--', `text: ${text}`]);
  });

  it('is emptied once, and not written anew when the run says the same', async () => {
    const events = [...words('t1', 'Your ref'), reset('t1', 2), ...words('t1', text, { stream: 2 })];
    const types = await typesOf(...events, said(1, text));
    expect(types.filter((type) => type === 'reset-step')).toHaveLength(1);
    expect(types.at(-1)).toBe('text-delta');
  });

  it('leaves nothing of a tool call that was being written, and may plan it again', async () => {
    const again = planned('t1c0', 'refund', { orderId: 'A-2' });
    expect(
      linesOf(await shown(...refundPieces, reset('t1', 2), ...words('t1', text, { stream: 2 }), piece('t2', 'x'))),
    ).toEqual(['--', `text: ${text}`, '--', 'text: x']);
    expect(linesOf(await shown(planned('t1c0', 'refund', REFUND), reset('t1', 2), again))).toEqual([
      '--',
      'refund {"orderId":"A-2"} input-available',
    ]);
  });

  it('drops planned calls, and keeps the turns before', async () => {
    const first = [
      words('t1', 'Look.'),
      planned('t1c0', 'look', {}),
      answered('t1c0', 'look', { status: 'ok', data: 1 }),
    ];
    const cut = [words('t2', 'Re'), planned('t2c0', 'refund', REFUND)];
    expect(linesOf(await shown(...first, ...cut, reset('t2', 2), words('t2', 'Done.', { stream: 2 })))).toEqual([
      '--',
      'text: Look.',
      'look {} output-available 1',
      '--',
      'text: Done.',
    ]);
  });

  it('keeps a question that was raised meanwhile', async () => {
    const doubt = [planned('t1c0', 'refund', REFUND), answered('t1c0', 'refund', { status: 'pending', handle: 'q1' })];
    const cut = [words('t2', 'Well'), raised('q1', 't1c0', 'refund', 'outcome'), reset('t2', 2)];
    expect(linesOf(await shown(...doubt, ...cut, words('t2', 'So.', { stream: 2 }), settled('q1', 'anna')))).toEqual([
      '--',
      `refund ${JSON.stringify(REFUND)} output-available {"status":"pending","handle":"q1"}`,
      '--',
      'question q1: settled',
      'text: So.',
    ]);
  });

  it('needs no word of the reset, and hears nothing of an attempt that fell silent', async () => {
    const events = [words('t1', 'Your ref'), words('t1', 'Your ', { stream: 2 }), words('t1', 'und', { stream: 1 })];
    expect(linesOf(await shown(...events, words('t1', 'money.', { stream: 2 }), reset('t1', 2)))).toEqual([
      '--',
      'text: Your money.',
    ]);
  });

  it('at any place of the cut, shows the reply and nothing else', async () => {
    const cuts = fc.array(fc.nat({ max: text.length }), { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(cuts, async (lengths) => {
        const attempts = [...lengths.map((length) => text.slice(0, length)), text];
        const events = attempts.flatMap((attempt, at) => [
          ...(at === 0 ? [] : [reset('t1', at + 1)]),
          ...words('t1', attempt, { stream: at + 1 }),
        ]);
        expect(linesOf(await shown(events, said(1, text), ended(text)))).toEqual(['--', `text: ${text}`]);
      }),
      { numRuns: 60 },
    );
  });
});

describe('what the run says in the end', () => {
  it('is shown when no piece of it came', async () => {
    expect(linesOf(await shown(started, said(1, 'Done.'), ended('Done.')))).toEqual(['--', 'text: Done.']);
  });

  it('is shown when only its last event is on record', async () => {
    expect(linesOf(await shown(ended('Done.')))).toEqual(['--', 'text: Done.']);
  });

  it('completes what came of it', async () => {
    const whole = 'A long story\n(The model was cut off by its own limit of length.)';
    expect(linesOf(await shown(words('t1', 'A long story'), said(1, whole)))).toEqual(['--', `text: ${whole}`]);
    expect(await typesOf(words('t1', 'A long story'), said(1, whole))).not.toContain('reset-step');
  });

  it('replaces what was lost in the middle', async () => {
    expect(linesOf(await shown(words('t1', 'A story'), said(1, 'A long story')))).toEqual(['--', 'text: A long story']);
  });

  it('replaces a reply that never became whole', async () => {
    const why = 'The model could not be asked (overload).';
    expect(linesOf(await shown(words('t1', 'Your ref'), said(1, why), ended(why, 'failed')))).toEqual([
      '--',
      `text: ${why}`,
    ]);
  });

  it('follows a reply that was whole', async () => {
    const events = [words('t1', 'I refund it.'), planned('t1c0', 'refund', REFUND), said(1, 'Stopped.')];
    expect(linesOf(await shown(...events, ended('Stopped.', 'stopped')))).toEqual([
      '--',
      'text: I refund it.',
      `refund ${JSON.stringify(REFUND)} output-error The run ended before this call was answered.`,
      'text: Stopped.',
    ]);
  });

  it('is not cut where the run itself cuts it', async () => {
    const long = 'x'.repeat(300_000);
    const cut = `${long.slice(0, 250_000)}… (cut here; the transcript has it whole)`;
    expect(linesOf(await shown(piece('t1', long), said(1, cut)))).toEqual(['--', `text: ${long}`]);
  });
});

describe('what chat protocols have no word for', () => {
  it('a question says what is asked, and with which commands it is answered', async () => {
    const events = [planned('t1c0', 'refund', REFUND), raised('qk21c7a', 't1c0', 'refund', 'approval')];
    expect((await shown(...events)).parts.at(-1)).toEqual({
      type: 'data-question',
      id: 'qk21c7a',
      data: {
        ...{ question: 'qk21c7a', run: 'run-1', call: 't1c0', tool: 'refund', kind: 'approval', state: 'open' },
        commands: [
          'npx holdfast approve qk21c7a --reason "…" --run run-1',
          'npx holdfast deny qk21c7a --reason "…" --run run-1',
        ],
      },
    });
  });

  it('and is changed in place when it is settled, or expires', async () => {
    const asked = [planned('t1c0', 'refund', REFUND), raised('q1', 't1c0', 'refund', 'approval')];
    const expired: RunEvent = { type: 'question-expired', at: 0, question: 'q1', call: 't1c0' };
    const again = raised('q2', 't1c0', 'refund', 'approval');
    const message = await shown(...asked, expired, again, settled('q2', 'anna'), again);
    expect(linesOf(message).slice(2)).toEqual(['question q1: expired', 'question q2: settled']);
    expect(message.parts.at(-1)).toMatchObject({ data: { by: 'anna', commands: [] } });
  });

  it('what goes on is told and not kept', async () => {
    const about = { call: 't1', turn: 1, kind: 'model', name: 'openai/gpt' } as const;
    const chunks = await chunksOf(
      story(
        { type: 'attempt-started', at: 0, attempt: 1, ...about },
        { type: 'attempt-ended', at: 5, attempt: 1, ...about, outcome: 'failure', nextWaitMs: 40 },
        { type: 'attempt-started', at: 45, attempt: 2, ...about },
        { type: 'call-waits', at: 50, call: 't1', turn: 1, waitMs: 60_000, why: 'overloaded, says sk-123' },
      ),
    );
    expect(chunks.slice(1)).toEqual([
      { type: 'data-progress', data: { is: 'waits', of: 'model', call: 't1', until: 45 }, transient: true },
      { type: 'data-progress', data: { is: 'again', of: 'model', call: 't1', attempt: 2 }, transient: true },
      { type: 'data-progress', data: { is: 'waits', of: 'model', call: 't1', until: 60_050 }, transient: true },
    ]);
  });
});

describe('what is hidden', () => {
  const events = story(
    piece('t1', 'Hm', { of: 'reasoning' }),
    ...refundPieces,
    planned('t1c0', 'refund', REFUND),
    raised('q1', 't1c0', 'refund', 'approval'),
    settled('q1', 'anna'),
    answered('t1c0', 'refund', { status: 'failed', message: 'card 4711 is blocked' }),
    piece('t2', 'Sorry.'),
  );
  test.each([
    ['reasoning', ['refund {"orderId":"A-1","amount":49} output-error card 4711 is blocked']],
    ['tool-input', ['reasoning: Hm', 'refund {} output-error card 4711 is blocked']],
    ['tool-output', ['reasoning: Hm', 'refund {"orderId":"A-1","amount":49} output-error This call did not succeed.']],
  ] as const)('%s', async (hidden, lines) => {
    const message = await shownAfter(await chunksOf(events, { hides: [hidden] }));
    expect(linesOf(message)).toEqual(['--', ...lines, 'question q1: settled', '--', 'text: Sorry.']);
  });

  it('leaves nothing of it in any chunk', async () => {
    const chunks = await chunksOf(events, { hides: ['reasoning', 'tool-input', 'tool-output', 'deciding'] });
    expect(JSON.stringify(chunks)).not.toMatch(/Hm|orderId|A-1|4711|anna|npx/);
    const told = await chunksOf(story(answered('t1c0', 'look', { status: 'ok', data: 'secret' })), {
      hides: ['tool-output'],
    });
    expect(JSON.stringify(told)).not.toContain('secret');
  });
});

it('events that come twice are shown once', async () => {
  const text = 'Refunded.';
  const told = answered('t1c0', 'refund', { status: 'ok', data: 1 });
  const events = [planned('t1c0', 'refund', REFUND), told, raised('q1', 't1c0', 'refund', 'outcome'), said(2, text)];
  const once = await shown(...events, ended(text));
  expect(await shown(...events.flatMap((event) => [event, event]), ended(text))).toEqual(once);
});
