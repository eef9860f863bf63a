import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readAskedWait } from '../../src/policy/asked-wait.ts';
import type { ProviderError } from '../../src/policy/read-provider-error.ts';

const NOW = Date.parse('2026-11-30T10:00:00Z');
const SILENT: ProviderError = {
  ...{ isNamed: true, words: [], messages: [], statuses: [], metadata: {}, availability: {}, details: [] },
};
const INFO = { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '46s' };

function read(headers: Record<string, string>, said: Partial<ProviderError> = {}) {
  const asked = readAskedWait((name) => headers[name], { ...SILENT, ...said }, NOW);
  return asked && [asked.from, asked.ms];
}

describe('the places where a wait is said, in their order', () => {
  const LADDER: readonly (readonly [string, number, Record<string, string>, Partial<ProviderError>])[] = [
    ['retry-after-ms', 250, { 'retry-after-ms': '250' }, {}],
    ['retry-after', 20_000, { 'retry-after': '20' }, {}],
    ['openrouter-availability', 6_000, {}, { availability: { retry_after: 6 } }],
    ['openrouter-metadata', 9_000, {}, { metadata: { retry_after_seconds: 9 } }],
    ['google-retryinfo', 46_000, {}, { details: [INFO] }],
    [
      'anthropic-ratelimit-tokens-reset',
      30_000,
      { 'anthropic-ratelimit-tokens-remaining': '0', 'anthropic-ratelimit-tokens-reset': '2026-11-30T10:00:30Z' },
      {},
    ],
    [
      'x-ratelimit-reset-requests',
      12,
      { 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '12ms' },
      {},
    ],
    ['x-ratelimit-reset', 60_000, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(NOW + 60_000) }, {}],
    ['message', 1_200, {}, { messages: ['Please try again in 1.2s.'] }],
  ];

  test.each(LADDER)('%s', (from, ms, headers, said) => {
    expect(read(headers, said)).toEqual([from, ms]);
  });

  test('the first one wins', () => {
    for (let first = 0; first < LADDER.length; first++) {
      const rest = LADDER.slice(first);
      const headers = Object.assign({}, ...rest.map(([, , each]) => each)) as Record<string, string>;
      const said = Object.assign({}, ...rest.map(([, , , each]) => each)) as Partial<ProviderError>;
      expect(read(headers, said)?.[0]).toBe(rest[0]?.[0]);
    }
  });
});

test.each<[string, Record<string, string>]>([
  ['zero', { 'retry-after': '0', 'retry-after-ms': '0' }],
  ['a negative number', { 'retry-after': '-1' }],
  ['a date that has passed', { 'retry-after': 'Mon, 30 Nov 2026 09:59:00 GMT' }],
  ['a word', { 'retry-after': 'soon' }],
  ['a bucket that is not empty', { 'x-ratelimit-remaining-tokens': '5', 'x-ratelimit-reset-tokens': '9s' }],
  ['a bucket that says -1', { 'x-ratelimit-remaining-tokens': '-1', 'x-ratelimit-reset-tokens': '0' }],
  ['a bucket that is full again', { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1000000000000' }],
])('%s is no wait', (_what, headers) => {
  expect(read(headers)).toBeUndefined();
});

test.each(['-46s', '+46s', '46', '46 apples', 's', '', '4 6s', '1e3s', 46, null, { seconds: 46 }])(
  'a delay of Google that is none, %p, is no wait',
  (retryDelay) => {
    expect(read({}, { details: [{ ...INFO, retryDelay }] })).toBeUndefined();
  },
);

test.each<[Record<string, string>, Partial<ProviderError>]>([
  [{ 'retry-after': '9999999999999' }, {}],
  [{ 'retry-after-ms': '9'.repeat(300) }, {}],
  [{ 'retry-after': 'Mon, 30 Nov 9998 09:59:00 GMT' }, {}],
  [{ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '9'.repeat(20) }, {}],
  [{}, { availability: { retry_after: 1e300 } }],
  [{}, { details: [{ ...INFO, retryDelay: '99999999999s' }] }],
  [{}, { messages: ['try again in 31 days'] }],
])('what nobody can sleep is cut to 30 days: %p %p', (headers, said) => {
  expect(read(headers, said)?.[1]).toBe(30 * 86_400_000);
});

test('what is no finite number is no wait', () => {
  expect(read({ 'retry-after': '9'.repeat(400) })).toBeUndefined();
});

test('zero in one place does not hide what another says', () => {
  expect(read({ 'retry-after': '0' }, { messages: ['retry in 2s'] })).toEqual(['message', 2_000]);
});

test('of two empty buckets the later one counts', () => {
  const headers = {
    'x-ratelimit-remaining-requests': '0',
    'x-ratelimit-reset-requests': '6m0s',
    'x-ratelimit-remaining-tokens': '0',
    'x-ratelimit-reset-tokens': '1.5s',
  };
  expect(read(headers)).toEqual(['x-ratelimit-reset-requests', 360_000]);
});

test.each([
  ['Please retry in 9h54m12.1s.', 35_652_100],
  ['Try again in 86400 seconds.', 86_400_000],
  ['Please retry after 26 seconds.', 26_000],
  ['try again in 634ms. Visit the page', 634],
  ['Please wait for 2 minutes', 120_000],
  ['Please wait 30 seconds before retrying', 30_000],
  ['You must wait at least 5s.', 5_000],
  ['Retry your request after 20s', 20_000],
  ['Try your next request again in about 3 s', 3_000],
  ['Please retry the call in 1 minute and 5 seconds.', 65_000],
  ['Your limit resets in 1h, 2m', 3_720_000],
  ['It will be available again in 2 days', 172_800_000],
  ['try again in -5s', undefined],
  ['try again in 3 lightyears', undefined],
  ['retry 3 times in 5 parts', undefined],
  ['It timed out after 30 seconds', undefined],
  ['you waited 30 seconds', undefined],
  ['try again later', undefined],
  ['retry in a moment', undefined],
])('%s', (message, ms) => {
  expect(read({}, { messages: [message] })?.[1]).toBe(ms);
});

test('a number of seconds is read as it is written', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 100_000 }), (seconds) => {
      expect(read({ 'retry-after': String(seconds) })).toEqual(['retry-after', seconds * 1_000]);
    }),
  );
});
