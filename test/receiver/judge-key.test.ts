import { describe, expect, test } from '@jest/globals';
import { fateOf } from '../../src/receiver/fate-of.ts';
import { judgeKey, type KeyRecord } from '../../src/receiver/judge-key.ts';

const answer = { status: 200, headers: [], body: new Uint8Array(0) };
const started = (leaseUntil: number): KeyRecord => ({ is: 'started', digest: 'd', leaseUntil });
const answered: KeyRecord = { is: 'answered', digest: 'd', answeredAt: 1_000, answer };

describe('a key', () => {
  test.each<[string, KeyRecord | undefined, string, number, string]>([
    ['that is new', undefined, 'd', 0, 'free'],
    ['at work', started(100), 'd', 99, 'running'],
    ['whose work did not say how it ended', started(100), 'd', 100, 'doubtful'],
    ['in doubt, a year later', started(100), 'd', 3e10, 'doubtful'],
    ['with an answer', answered, 'd', 1_499, 'answered'],
    ['with an answer that has been kept long enough', answered, 'd', 1_500, 'free'],
    ['with other data, at work', started(100), 'e', 0, 'reused'],
    ['with other data, in doubt', started(100), 'e', 100, 'reused'],
    ['with other data, answered', answered, 'e', 1_499, 'reused'],
    ['with other data, forgotten', answered, 'e', 1_500, 'free'],
  ])('%s', (_, record, digest, now, is) => {
    expect(judgeKey(record, digest, { now, expireAfterMs: 500 }).is).toBe(is);
  });
});

describe('what becomes of a key', () => {
  test.each([
    ...[200, 201, 204, 303, 400, 404, 409, 422].map((status) => [status, 'keep'] as const),
    [429, 'free'] as const,
    ...[408, 500, 502, 503].map((status) => [status, 'doubt'] as const),
  ])('after %i: %s', (status, fate) => {
    expect(fateOf(status)).toBe(fate);
  });
});
