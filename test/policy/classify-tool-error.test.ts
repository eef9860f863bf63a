import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Effect } from '../../src/contracts/effect.ts';
import type { RequestAnswer, SentRequest } from '../../src/contracts/fetch-record.ts';
import { NotExecuted, ToolRefused } from '../../src/contracts/tool.ts';
import { classifyToolError } from '../../src/policy/classify-tool-error.ts';

const tool = (effect: Effect, change: object = {}) =>
  ({ name: 'pay', effect, thrown: 'unknown', refusedStatuses: [], classify: undefined, ...change }) as const;

const post = (answer: RequestAnswer): SentRequest => ({
  changes: true,
  method: 'POST',
  url: 'http://pay/refunds',
  answer,
});
const get = (answer: RequestAnswer): SentRequest => ({
  changes: false,
  method: 'GET',
  url: 'http://pay/refunds',
  answer,
});
const status = (code: number, waitMs?: number): RequestAnswer => ({ is: 'status', status: code, waitMs });
const error = (message: string, more: object = {}) => Object.assign(new Error(message), more);

describe('the failure of an attempt', () => {
  test.each<[string, unknown, Parameters<typeof classifyToolError>[1], readonly SentRequest[], object]>([
    ['NotExecuted', new NotExecuted('later'), tool('unflagged'), [], { kind: 'transient', delivery: 'not-sent' }],
    ['ToolRefused', new ToolRefused('no'), tool('unflagged'), [], { kind: 'permanent', delivery: 'refused' }],
    [
      '429 seen',
      error('x'),
      tool('unflagged'),
      [post(status(429, 2_000))],
      { kind: 'transient', delivery: 'refused', waitMs: 2_000 },
    ],
    [
      '429 in an arbitrary error',
      error('x', { status: 429 }),
      tool('unflagged'),
      [],
      { kind: 'transient', delivery: 'maybe-sent' },
    ],
    [
      'refused connection seen',
      error('x'),
      tool('unflagged'),
      [post({ is: 'not-sent', why: 'ECONNREFUSED', isLasting: false })],
      { kind: 'transient', delivery: 'not-sent' },
    ],
    [
      'refused connection in an arbitrary error',
      error('x', { code: 'ECONNREFUSED' }),
      tool('unflagged'),
      [],
      { kind: 'transient', delivery: 'maybe-sent' },
    ],
    [
      'a certificate that will not do',
      error('x'),
      tool('unflagged'),
      [post({ is: 'not-sent', why: 'CERT', isLasting: true })],
      { kind: 'permanent', delivery: 'not-sent' },
    ],
    ...[400, 401, 403, 404, 405, 410, 413, 415].map(
      (code) =>
        [
          `${code} seen`,
          error('x'),
          tool('unflagged'),
          [post(status(code))],
          { kind: 'permanent', delivery: 'refused' },
        ] as [string, unknown, ReturnType<typeof tool>, SentRequest[], object],
    ),
    ...[500, 502, 503, 504, 408].map(
      (code) =>
        [
          `${code} seen`,
          error('x'),
          tool('unflagged'),
          [post(status(code))],
          { kind: 'transient', delivery: 'maybe-sent' },
        ] as [string, unknown, ReturnType<typeof tool>, SentRequest[], object],
    ),
    [
      '503 that the tool lists',
      error('x'),
      tool('unflagged', { refusedStatuses: [503] }),
      [post(status(503))],
      { kind: 'transient', delivery: 'refused' },
    ],
    ['409 with our key', error('x'), tool('by-key'), [post(status(409))], { kind: 'in-progress' }],
    [
      '409 without flags',
      error('x'),
      tool('unflagged'),
      [post(status(409))],
      { kind: 'permanent', delivery: 'maybe-sent' },
    ],
    ['422 with our key', error('x'), tool('by-key'), [post(status(422))], { kind: 'key-reused' }],
    ['a redirect', error('x'), tool('unflagged'), [post(status(307))], { kind: 'permanent', delivery: 'maybe-sent' }],
    [
      'no answer',
      error('x'),
      tool('unflagged'),
      [post({ is: 'lost', why: 'reset' })],
      { kind: 'transient', delivery: 'maybe-sent' },
    ],
    [
      'success, then a bug',
      error('x'),
      tool('idempotent'),
      [post(status(200))],
      { kind: 'thrown', delivery: 'maybe-sent' },
    ],
    [
      'success that cannot be read',
      new SyntaxError('Unexpected token'),
      tool('idempotent'),
      [post(status(200))],
      { kind: 'unreadable', delivery: 'maybe-sent' },
    ],
    [
      'a refusal after a success',
      error('x'),
      tool('unflagged'),
      [post(status(200)), post(status(429))],
      { kind: 'thrown', delivery: 'maybe-sent' },
    ],
    [
      'a refusal beside a loss',
      error('x'),
      tool('unflagged'),
      [post(status(429)), post({ is: 'lost', why: 'reset' })],
      { delivery: 'maybe-sent' },
    ],
    [
      'a refused look-up of a writing tool',
      error('x'),
      tool('unflagged'),
      [get(status(404))],
      { kind: 'thrown', delivery: 'maybe-sent' },
    ],
    ['a refused look-up of a reading tool', error('x'), tool('read-only'), [get(status(404))], { kind: 'permanent' }],
    [
      'an overloaded look-up of a reading tool',
      error('x'),
      tool('read-only'),
      [get(status(503, 1_000))],
      { kind: 'transient', waitMs: 1_000 },
    ],
    [
      "thrown: 'refused'",
      error('x'),
      tool('unflagged', { thrown: 'refused' }),
      [],
      { kind: 'permanent', delivery: 'refused' },
    ],
    [
      "thrown: 'refused', but a request may have acted",
      error('x'),
      tool('unflagged', { thrown: 'refused' }),
      [post({ is: 'lost', why: 'reset' })],
      { delivery: 'maybe-sent' },
    ],
    [
      'classify of an unflagged tool cannot make it laxer',
      error('x'),
      tool('unflagged', { classify: () => ({ kind: 'transient', delivery: 'not-sent', message: 'm' }) }),
      [],
      { delivery: 'maybe-sent' },
    ],
    [
      'classify of an idempotent tool',
      error('x'),
      tool('idempotent', { classify: () => ({ kind: 'permanent', delivery: 'refused', message: 'm' }) }),
      [],
      { kind: 'permanent', delivery: 'refused' },
    ],
    [
      'a classify that throws',
      error('x'),
      tool('unflagged', {
        classify: () => {
          throw new Error('bug');
        },
      }),
      [],
      { kind: 'thrown', delivery: 'maybe-sent' },
    ],
  ])('%s', (_, thrown, of, record, expected) => {
    expect(classifyToolError(thrown, of, record)).toMatchObject(expected);
  });

  test('whatever is thrown gets a message, and an unflagged tool without a record is never said not to have acted', () => {
    fc.assert(
      fc.property(fc.anything(), (thrown) => {
        const failure = classifyToolError(thrown, tool('unflagged'), []);
        expect(failure.message.length).toBeLessThan(400);
        expect(failure.delivery).toBe('maybe-sent');
      }),
    );
  });

  test('an error that is its own cause ends', () => {
    const circular = error('round');
    circular.cause = circular;
    expect(classifyToolError(circular, tool('unflagged'), []).message).toContain('round');
  });

  test('secrets in a message stay out of it', () => {
    const { message } = classifyToolError(
      error('401 for https://bob:pw@pay.example/x?token=abc with Bearer abc.def-123 sk-live_12345678901'),
      tool('unflagged'),
      [],
    );
    expect(message).not.toMatch(/pw|token=abc|abc\.def|12345678901/);
  });
});
