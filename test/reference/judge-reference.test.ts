import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { z } from 'zod';
import { failureOfEnd } from '../../src/activities/failure-of-end.ts';
import type { BodyEnd } from '../../src/activities/run-body.ts';
import type { Effect } from '../../src/contracts/effect.ts';
import type { Failure } from '../../src/contracts/failure.ts';
import { NotExecuted, ToolRefused, type Tool } from '../../src/contracts/tool.ts';
import { createToolFetch } from '../../src/middleware/tool-fetch.ts';
import { defineTool } from '../../src/policy/define-tool.ts';
import { judge, type Verdict } from '../../src/policy/judge.ts';
import { worstDelivery } from '../../src/policy/worst-delivery.ts';
import { verdictOf, type Case, type End, type Phase, type Sent } from './table.ts';

const seed = Date.now() % 2 ** 31;
const NOW = Date.parse('2026-11-29T12:00:00Z');

/** An error of the platform's own fetch: what went wrong stands in its cause. */
const behind = (cause: object): Error =>
  new TypeError('fetch failed', { cause: Object.assign(new Error('below'), cause) });
const coded = (code: string): Error => Object.assign(new Error(`it said ${code}`), { code });

const TROUBLE = {
  'not-connected': [
    ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT'],
  ].map((code) => behind({ code })),
  'wrong-place': [
    ...['CERT_HAS_EXPIRED', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
    ...['ERR_TLS_CERT_ALTNAME_INVALID', 'ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_INVALID_URL'],
  ].map((code) => behind({ code })),
  lost: [
    ...['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'UND_ERR_SOCKET', 'UND_ERR_HEADERS_TIMEOUT'].map((code) =>
      behind({ code }),
    ),
    new DOMException('This operation was aborted', 'AbortError'),
    new Error('nobody has named this one'),
  ],
} satisfies Record<Exclude<Phase, 'answered'>, readonly Error[]>;

const STATUSES = [
  ...[200, 201, 202, 204, 302, 400, 401, 402, 403, 404, 405, 408, 409, 410, 412, 413, 415, 418, 422, 423, 425, 429],
  ...[451, 500, 501, 502, 503, 504, 507, 522, 529],
];

/** What a server may ask for in its headers, and how long that is. */
const WAITS: readonly (readonly [Readonly<Record<string, string>>, waitMs?: number])[] = [
  [{}],
  [{ 'retry-after': '3' }, 3_000],
  [{ 'retry-after': '0' }],
  [{ 'retry-after': '-5' }],
  [{ 'retry-after': 'soon' }],
  [{ 'retry-after-ms': '250', 'retry-after': '9' }, 250],
  [{ 'retry-after': 'Sun, 29 Nov 2026 12:00:07 GMT', date: 'Sun, 29 Nov 2026 12:00:00 GMT' }, 7_000],
  [{ 'retry-after': 'Sun, 29 Nov 2026 11:00:00 GMT', date: 'Sun, 29 Nov 2026 12:00:00 GMT' }],
];

const THROWN = {
  'not-executed': [new NotExecuted('later'), Object.assign(new Error('later'), { name: 'NotExecuted' })],
  'tool-refused': [new ToolRefused('no'), Object.assign(new Error('no'), { name: 'ToolRefused' })],
  unreadable: [new SyntaxError('Unexpected token <'), new TypeError('terminated')],
  bug: [new TypeError('x is undefined'), new Error('no'), 'a string', undefined, coded('SQLITE_BUSY'), coded('EACCES')],
  code: [coded('ECONNREFUSED'), coded('ECONNRESET'), behind({ code: 'ENOTFOUND' }), behind({ code: 'UND_ERR_SOCKET' })],
} satisfies Partial<Record<End['is'], readonly unknown[]>>;

const EFFECTS = {
  'read-only': { readOnly: true },
  idempotent: { idempotent: true },
  'by-key': { idempotent: 'by-key' },
  unflagged: {},
} as const;

interface Request extends Sent {
  readonly trouble: number;
  readonly wait: (typeof WAITS)[number];
}

const request: fc.Arbitrary<Request> = fc.record({
  changes: fc.boolean(),
  phase: fc.constantFrom<Phase>('not-connected', 'wrong-place', 'lost', 'answered', 'answered', 'answered'),
  status: fc.constantFrom(...STATUSES),
  trouble: fc.nat(),
  wait: fc.constantFrom(...WAITS),
});

const end: fc.Arbitrary<End> = fc.oneof(
  fc.constantFrom<End>(
    ...(['cancelled', 'timed-out', 'not-executed', 'tool-refused'] as const).map((is) => ({ is })),
    ...(['unreadable', 'unreadable', 'bug', 'bug', 'bug', 'code', 'code'] as const).map((is) => ({ is })),
  ),
  fc.record({ is: fc.constant('status' as const), status: fc.constantFrom(...STATUSES.filter((s) => s >= 400)) }),
);

const anyAttempt = fc.record({
  effect: fc.constantFrom<Effect>('read-only', 'idempotent', 'by-key', 'unflagged'),
  thrown: fc.constantFrom('unknown', 'unknown', 'refused'),
  refusedStatuses: fc.oneof(
    fc.constant([]),
    fc.uniqueArray(fc.constantFrom(402, 409, 418, 422, 500, 503, 507), { maxLength: 3 }),
  ),
  sent: fc.array(request, { maxLength: 3 }),
  end,
  pick: fc.nat(),
  earlier: fc.array(fc.constantFrom('not-sent', 'refused', 'maybe-sent'), { maxLength: 2 }),
  spent: fc.boolean(),
});
type Attempt = typeof anyAttempt extends fc.Arbitrary<infer A> ? A : never;
/** A reading tool has no word for what its throws prove. */
const attempt = anyAttempt.map((any): Attempt => (any.effect === 'read-only' ? { ...any, thrown: 'unknown' } : any));

const pick = <T>(from: readonly T[], nth: number): T => from[nth % from.length]!;

/** The record that `ctx.fetch` keeps when its requests end in these ways. */
async function recordOf(sent: readonly Request[]) {
  const ends = [...sent];
  const { fetch, record } = createToolFetch({
    idempotencyKey: 'k',
    headers: {},
    signal: new AbortController().signal,
    sendBy: NOW + 1,
    now: () => NOW,
    fetch: () => {
      const { phase, status, trouble, wait } = ends.shift()!;
      if (phase !== 'answered') return Promise.reject(pick<Error>(TROUBLE[phase], trouble));
      return Promise.resolve(new Response(status === 204 ? null : '<html>', { status, headers: wait[0] }));
    },
  });
  for (const { changes } of sent) {
    await fetch('http://pay/refunds', { method: changes ? 'POST' : 'GET' }).catch(() => undefined);
  }
  return record();
}

function bodyEnd(end: End, nth: number): Exclude<BodyEnd, { is: 'returned' }> {
  const running = Promise.resolve({ is: 'returned', value: 1 } as const);
  if (end.is === 'cancelled' || end.is === 'timed-out') return { is: end.is, running };
  if (end.is !== 'status') return { is: 'threw', error: pick<unknown>(THROWN[end.is], nth) };
  const name = nth % 2 === 0 ? 'status' : 'statusCode';
  return { is: 'threw', error: Object.assign(new Error('it said no'), { [name]: end.status }) };
}

function toolOf({ effect, thrown, refusedStatuses }: Pick<Case, 'effect' | 'thrown' | 'refusedStatuses'>): Tool {
  return defineTool({
    name: 'pay',
    description: 'Pays.',
    input: z.object({}),
    timeout: '1s',
    ...EFFECTS[effect],
    ...(effect !== 'read-only' && { thrown }),
    refusedStatuses,
    execute: () => Promise.resolve(1),
  });
}

async function failureOf(tried: Attempt): Promise<Failure> {
  return failureOfEnd(bodyEnd(tried.end, tried.pick), toolOf(tried), await recordOf(tried.sent));
}

function judged(failure: Failure, { effect, earlier, spent }: Attempt): Verdict {
  return judge({ failure, effect, worst: earlier.reduce(worstDelivery, failure.delivery), spent });
}

/** An unflagged call with an attempt in doubt is a question already, and makes no further one. */
const canBe = ({ effect, earlier }: Attempt): boolean => effect !== 'unflagged' || !earlier.includes('maybe-sent');

describe('what follows from a failed attempt, beside a second writing of the table', () => {
  test(`is the same in 10,000 generated cases (seed ${seed})`, async () => {
    await fc.assert(
      fc.asyncProperty(attempt.filter(canBe), async (tried) => {
        expect(judged(await failureOf(tried), tried)).toEqual(verdictOf(tried));
      }),
      { numRuns: 10_000, seed },
    );
  });

  test(`waits as long as the server asked, and for nothing unreadable (seed ${seed})`, async () => {
    const refused = fc.constantFrom(429, 503, 500);
    await fc.assert(
      fc.asyncProperty(attempt, request, refused, async (tried, last, status) => {
        const sent = [{ ...last, changes: true, phase: 'answered' as const, status }];
        const failure = await failureOf({ ...tried, sent, end: { is: 'bug' } });
        expect(failure.waitMs).toBe(last.wait[1]);
      }),
      { numRuns: 500, seed },
    );
  });

  test('an unflagged call with an earlier attempt in doubt is a question, whatever became of the last one', () => {
    const failure: Failure = { kind: 'transient', delivery: 'not-sent', message: '' };
    expect(judge({ failure, effect: 'unflagged', worst: 'maybe-sent', spent: false })).toEqual({ is: 'unknown' });
  });
});

describe('what an author says of an error of an unflagged tool', () => {
  const strictness = (verdict: Verdict) => ['retry', 'cancelled', 'tell-model', 'unknown'].indexOf(verdict.is);
  const said: fc.Arbitrary<Failure> = fc.record({
    kind: fc.constantFrom('transient', 'permanent', 'thrown', 'unreadable', 'in-progress', 'key-reused', 'cancelled'),
    delivery: fc.constantFrom('not-sent', 'refused', 'maybe-sent'),
    message: fc.constant('as I know it'),
  });

  test(`never lets more pass than the error itself (seed ${seed})`, async () => {
    await fc.assert(
      fc.asyncProperty(attempt.filter(canBe), said, async (any, named) => {
        const tried: Attempt = { ...any, effect: 'unflagged', earlier: [] };
        const record = await recordOf(tried.sent);
        const ended = bodyEnd(tried.end, tried.pick);
        const plain = judged(failureOfEnd(ended, toolOf(tried), record), tried);
        const hinted = judged(failureOfEnd(ended, { ...toolOf(tried), classify: () => named }, record), tried);
        expect(strictness(hinted)).toBeGreaterThanOrEqual(strictness(plain));
      }),
      { numRuns: 2_000, seed },
    );
  });
});
