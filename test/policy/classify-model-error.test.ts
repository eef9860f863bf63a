import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { classifyModelError } from '../../src/policy/classify-model-error.ts';
import { BrokenAnswer, judgeAnswer, type AnswerFacts } from '../../src/policy/judge-answer.ts';

const NOW = Date.parse('2026-11-30T10:00:00Z');

/** An error as the AI SDK makes it of a refusal. */
function refusal(statusCode: number, body: unknown, responseHeaders: Record<string, string> = {}): Error {
  const responseBody = typeof body === 'string' ? body : JSON.stringify(body);
  return Object.assign(new Error('of the SDK'), { name: 'AI_APICallError', statusCode, responseBody, responseHeaders });
}

/** An error of the transport, as deep in its chain as it comes. */
function broken(code: string, outer: object = {}, more: object = {}): Error {
  const inner = Object.assign(new Error(`read ${code}`), { code, ...more });
  return Object.assign(new Error('Cannot connect to API', { cause: new TypeError('fetch failed', { cause: inner }) }), {
    name: 'AI_APICallError',
    ...outer,
  });
}

const usage = { inputTokens: null, outputTokens: null, cacheReadTokens: null, cacheWriteTokens: null };
const EMPTY: AnswerFacts = {
  streamed: true,
  begun: true,
  text: '',
  calls: [],
  open: [],
  finish: undefined,
  usage,
  isKept: false,
  headers: {},
};
const CALL = { toolCallId: 'c1', tool: 'get_weather', input: '{}' };

const classify = (error: unknown) => classifyModelError(error, { now: NOW });

describe('the transport', () => {
  test.each<[string, object]>([
    ['ECONNREFUSED', { reason: 'network', sent: 'no', billed: 'no', delivery: 'not-sent' }],
    ['EHOSTUNREACH', { reason: 'network', sent: 'no' }],
    ['EAI_AGAIN', { reason: 'dns', sent: 'no', tries: 2 }],
    ['ECONNRESET', { reason: 'network', sent: 'maybe', billed: 'unknown', delivery: 'maybe-sent' }],
    ['UND_ERR_HEADERS_TIMEOUT', { reason: 'timeout', sent: 'yes' }],
    ['HPE_INVALID_CHUNK_SIZE', { reason: 'network', sent: 'yes' }],
    ['Z_BUF_ERROR', { reason: 'bad-response', sent: 'yes' }],
    ['ERR_SSL_SSL/TLS_ALERT_BAD_RECORD_MAC', { reason: 'tls-record', class: 'transient' }],
    ['ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION', { reason: 'tls-config', class: 'permanent', retry: false }],
    ['ERR_SSL_PACKET_LENGTH_TOO_LONG', { reason: 'tls-config', sent: 'no' }],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', { reason: 'tls-config', billed: 'no' }],
    ['CERT_NOT_YET_VALID', { reason: 'tls-config' }],
  ])('%s', (code, expected) => {
    expect(classify(broken(code))).toMatchObject(expected);
  });

  test('after the headers the request has arrived, whatever the code', () => {
    expect(classify(broken('ECONNRESET', { statusCode: 200 }))).toMatchObject({ reason: 'network', sent: 'yes' });
  });

  test('a time-out of a connection is one before anything was sent; of a read it is not', () => {
    expect(classify(broken('ETIMEDOUT', {}, { syscall: 'connect' }))).toMatchObject({ sent: 'no' });
    expect(classify(broken('ETIMEDOUT', {}, { syscall: 'read' }))).toMatchObject({ sent: 'maybe' });
  });

  test('a port that fetch refuses will be refused again', () => {
    const cause = new TypeError('fetch failed', { cause: new Error('bad port') });
    expect(classify(cause)).toMatchObject({ class: 'permanent', reason: 'config' });
  });

  test('a provider that names its error like a code of ours is not the transport', () => {
    const piece = { message: 'x', type: 'UNABLE_TO_PROCESS', code: 'ECONNRESET_BY_MODEL' };
    expect(classify(new BrokenAnswer({ ...EMPTY, error: piece })).reason).toBe('server');
  });
});

describe('who ended it', () => {
  const ended = { aborted: true, reason: new Error('CANCELLED') };
  const late = { aborted: true, reason: Object.assign(new Error(), { name: 'TimeoutError' }) };

  test('the run, before anything the error says of itself', () => {
    const error = refusal(401, { error: { message: 'no' } });
    expect(classifyModelError(error, { now: NOW, caller: ended, attempt: late })).toMatchObject({
      ...{ class: 'cancelled', kind: 'cancelled', reason: 'caller', retry: false, resetStream: false },
    });
    expect(classifyModelError(error, { now: NOW, caller: late })).toMatchObject({ reason: 'caller-deadline' });
  });

  test('our own deadline', () => {
    const named = classifyModelError(new Error('aborted'), { now: NOW, caller: { aborted: false }, attempt: late });
    expect(named).toMatchObject({ class: 'transient', kind: 'timed-out', reason: 'timeout', retry: true });
  });
});

describe('the order of questions', () => {
  test.each<[string, Error, object]>([
    [
      'money before a wait',
      refusal(429, { error: { code: 'insufficient_quota' } }, { 'retry-after': '5' }),
      { reason: 'billing', retry: false },
    ],
    ['money before x-should-retry', refusal(402, { error: {} }, { 'x-should-retry': 'true' }), { reason: 'billing' }],
    [
      'length before a rate',
      refusal(429, { error: { message: 'Request too large: Limit 10, Requested 20' } }),
      { reason: 'request-over-limit' },
    ],
    [
      'a limit that fits is a rate',
      refusal(429, { error: { message: 'Limit 30, Used 29, Requested 2' } }),
      { reason: 'rate' },
    ],
    ['policy before a status', refusal(500, { error: { code: 'content_filter' } }), { reason: 'content-filter' }],
    [
      'x-should-retry before a rate',
      refusal(429, { error: {} }, { 'x-should-retry': 'false' }),
      { reason: 'server-said-no', class: 'permanent' },
    ],
    [
      'availability before a status',
      refusal(404, { error: { availability: { code: 'no_endpoints', retryable: true } } }),
      { class: 'transient', reason: 'capacity' },
    ],
    [
      'a quota of the day',
      refusal(429, { error: { message: 'Limit of requests per day' } }),
      { reason: 'quota-day', overCap: true, tries: 1 },
    ],
    [
      'words behind a status that was made up',
      refusal(400, { status: 'failed', error: { type: 'server_error' } }),
      { class: 'transient', reason: 'server' },
    ],
    ['a status nobody has named', refusal(418, ''), { class: 'permanent', reason: 'bad-request' }],
    ['a status of a proxy', refusal(522, '<html>'), { class: 'transient', reason: 'timeout', billed: 'unknown' }],
  ])('%s', (_what, error, expected) => {
    expect(classify(error)).toMatchObject(expected);
  });

  test.each(['gone for lunch', undefined, null, 7, new Error('?'), Object.create(null)])(
    'what nobody has named stops once: %p',
    (error) => {
      expect(classify(error)).toMatchObject({ class: 'permanent', reason: 'bug', retry: false, tries: 1 });
    },
  );

  test.each([
    ['AI_LoadAPIKeyError', 'config'],
    ['AI_UnsupportedFunctionalityError', 'bug'],
    ['AI_NoContentGeneratedError', 'empty'],
    ['AI_RetryError', 'rate'],
  ])('%s of the SDK', (name, reason) => {
    const lastError = refusal(429, { error: {} });
    expect(
      classify(Object.assign(new Error('x'), { name, lastError: name === 'AI_RetryError' ? lastError : undefined }))
        .reason,
    ).toBe(reason);
  });
});

test('a message carries no key, no query, and says why', () => {
  const { message } = classify(
    refusal(401, { error: { message: 'Bad key sk-abcdefghijklmnop at https://x.test/a?key=1' } }),
  );
  expect(message).toBe('The model could not be asked (auth): Bad key *** at https://x.test/a');
});

test('people are told when it works again', () => {
  const spent = refusal(403, {
    error: { metadata: { limit_source: 'openrouter_key_limit', resets_at: 1_800_000_000 } },
  });
  expect(classify(spent)).toMatchObject({ resetsAt: '2027-01-15T08:00:00Z' });
  expect(classify(refusal(429, {}, { 'retry-after': '7200' })).message).toContain('It asks to wait for 7200 s.');
});

test('a wait that nobody can sleep is over the cap, bounded, and said as what it is', () => {
  const failure = classify(refusal(429, {}, { 'retry-after': '9999999999999' }));
  expect(failure).toMatchObject({ class: 'rate-limited', retry: true, overCap: true, waitMs: 30 * 86_400_000 });
  expect(failure.message).toContain('It asks to wait for 30 days or longer.');
});

test.each<[unknown, string | undefined]>([
  [1_800_000_000, '2027-01-15T08:00:00Z'],
  [1_800_000_000_000, '2027-01-15T08:00:00Z'],
  ['2026-11-01T00:00:00+01:00', '2026-10-31T23:00:00Z'],
  [1e20, undefined],
  [8.64e15, undefined],
  [-1, undefined],
  [0, undefined],
  [Number.NaN, undefined],
  ['soon', undefined],
  ['+200000-01-01T00:00:00Z', undefined],
  [{}, undefined],
])('resets_at %p', (resets_at, at) => {
  const data = { error: { metadata: { limit_source: 'openrouter_key_limit', resets_at } } };
  const failure = classify(Object.assign(refusal(403, ''), { data }));
  expect(failure.reason).toBe('billing');
  expect(failure.resetsAt).toBe(at);
});

test.each(['2026-13-41', '0000-00-00', '2026-11-01 at 99:99'])('access that is regained on %s is no date', (day) => {
  const failure = classify(
    refusal(400, {
      error: { message: `You have reached your specified API usage limits. You will regain access on ${day}.` },
    }),
  );
  expect([failure.reason, failure.resetsAt]).toEqual(['billing', undefined]);
});

describe('what throws when it is read', () => {
  const fails = (): never => {
    throw new Error('not to be read');
  };
  const trap = new Proxy(new Error('x'), { get: fails, has: fails, ownKeys: fails });
  const getter = Object.defineProperty(new Error('x'), 'cause', { get: fails });
  let deep: unknown = {};
  for (let level = 0; level < 20_000; level++) deep = [deep];

  test.each([
    ['a proxy', trap],
    ['a getter', getter],
    ['a body as deep as the stack', Object.assign(new Error('x'), { data: deep })],
    [
      'a text that cannot be made',
      Object.assign(new Error('x'), { data: { error: { details: [{ '@type': Object.create(null) as object }] } } }),
    ],
    ['an answer', new BrokenAnswer({ ...EMPTY, error: trap })],
  ])('%s is a bug, and stops once', (_what, error) => {
    expect(classify(error)).toMatchObject({ class: 'permanent', retry: false, tries: 1 });
    const caller = { aborted: true, reason: trap };
    expect(classifyModelError(error, { now: NOW, caller })).toMatchObject({ class: 'cancelled', reason: 'caller' });
    const attempt = { aborted: true };
    expect(classifyModelError(error, { now: NOW, attempt })).toMatchObject({ kind: 'timed-out', retry: true });
  });
});

describe('how an answer ended', () => {
  test.each<[string, Partial<AnswerFacts>, object]>([
    ['no finish', { text: 'The' }, { is: 'broken', reason: 'truncated' }],
    [
      'a finish without a reason',
      { text: 'The', finish: { unified: 'other', raw: undefined } },
      { is: 'broken', reason: 'truncated' },
    ],
    [
      'calls and a finish without a reason',
      { calls: [CALL], finish: { unified: 'tool-calls', raw: undefined } },
      { is: 'broken', reason: 'truncated' },
    ],
    [
      'the same of the Responses API, which names its end',
      { calls: [CALL], isKept: true, finish: { unified: 'tool-calls', raw: undefined } },
      { is: 'whole', end: 'tool-calls' },
    ],
    [
      'interrupted, whatever the raw word',
      { text: 'x', isKept: true, finish: { unified: 'interrupted', raw: 'stop' } },
      { is: 'broken', reason: 'truncated' },
    ],
    [
      'an error before a good finish',
      { text: 'x', error: { code: 500 }, finish: { unified: 'stop', raw: 'stop' } },
      { is: 'error' },
    ],
    [
      'a call and stop',
      { calls: [CALL], finish: { unified: 'stop', raw: 'stop' } },
      { is: 'whole', end: 'tool-calls' },
    ],
    [
      'a call and a word nobody knows',
      { calls: [CALL], finish: { unified: 'other', raw: 'eos' } },
      { is: 'whole', end: 'unknown-finish' },
    ],
    [
      'a call and the limit',
      { calls: [CALL], finish: { unified: 'length', raw: 'length' } },
      { is: 'whole', end: 'tool-call-cut' },
    ],
    [
      'a call that never became whole, and the limit',
      { open: [CALL], finish: { unified: 'length', raw: 'length' } },
      { is: 'whole', end: 'tool-call-cut' },
    ],
    [
      'a call that never became whole',
      { open: [CALL], finish: { unified: 'tool-calls', raw: 'tool_calls' } },
      { is: 'broken', reason: 'bad-response' },
    ],
    ['spaces only', { text: ' \n', finish: { unified: 'stop', raw: 'stop' } }, { is: 'broken', reason: 'empty' }],
    [
      'a server that gave up',
      { text: 'x', finish: { unified: 'other', raw: 'abort' } },
      { is: 'broken', reason: 'server' },
    ],
    ['a pause', { text: 'x', finish: { unified: 'stop', raw: 'pause_turn' } }, { is: 'whole', end: 'continue' }],
  ])('%s', (_what, facts, verdict) => {
    expect(judgeAnswer({ ...EMPTY, ...facts })).toEqual(verdict);
  });

  test('calls run only after a finish of tool-calls or stop with a reason, and without an error', () => {
    const unified = fc.constantFrom('stop', 'length', 'content-filter', 'tool-calls', 'error', 'interrupted', 'other');
    const raw = fc.option(fc.constantFrom('stop', 'tool_calls', 'length', 'error', 'eos', 'abort'), { nil: undefined });
    fc.assert(
      fc.property(
        fc.record({ unified, raw }),
        fc.boolean(),
        fc.boolean(),
        fc.boolean(),
        (finish, isKept, isBroken, isOpen) => {
          const facts = {
            ...EMPTY,
            calls: [CALL],
            isKept,
            finish,
            ...(isBroken && { error: {} }),
            open: isOpen ? [CALL] : [],
          };
          const verdict = judgeAnswer(facts);
          const mayRun = verdict.is === 'whole' && verdict.end === 'tool-calls';
          const isGood =
            ['stop', 'tool-calls'].includes(finish.unified) &&
            (finish.raw !== undefined || isKept) &&
            !isBroken &&
            !isOpen;
          expect(mayRun && !isGood).toBe(false);
        },
      ),
    );
  });
});

test('no error whatever makes it throw, and what it says holds together', () => {
  const anything = fc.anything({ withNullPrototype: true, withBigInt: true, withDate: true, maxDepth: 4 });
  const likely = fc.record(
    {
      name: fc.constantFrom('AI_APICallError', 'AI_TypeValidationError', 'Error'),
      statusCode: fc.oneof(fc.integer({ min: 100, max: 700 }), fc.constant('x')),
      responseBody: fc.oneof(fc.json(), fc.string()),
      responseHeaders: fc.dictionary(
        fc.constantFrom('retry-after', 'retry-after-ms', 'date', 'x-should-retry'),
        fc.string(),
      ),
      data: anything,
      cause: anything,
      errors: anything,
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.oneof(anything, likely), (error) => {
      const failure = classify(error);
      expect(failure.retry).toBe(failure.class === 'transient' || failure.class === 'rate-limited');
      if (failure.waitMs !== undefined) expect(failure.waitMs).toBeGreaterThan(0);
      if (!failure.retry) expect(failure.waitMs).toBeUndefined();
      if (failure.sent === 'no') expect(failure.delivery).toBe('not-sent');
      expect(failure.message.length).toBeLessThan(420);
    }),
    { numRuns: 2_000 },
  );
});
