import { describe, expect, test } from '@jest/globals';
import { classifyModelError } from '../../src/policy/classify-model-error.ts';
import { BrokenAnswer } from '../../src/policy/judge-answer.ts';

const NOW = Date.parse('2026-11-30T10:00:00Z');

function reasonOf(statusCode: number, error: object): string {
  const responseBody = JSON.stringify({ error });
  const made = Object.assign(new Error('of the SDK'), { name: 'AI_APICallError', statusCode, responseBody });
  return classifyModelError(made, { now: NOW }).reason;
}

describe('words in passing do not decide where a status or a code says otherwise', () => {
  test.each<[number, string, string | undefined, string]>([
    [429, 'would exceed your organization rate limit for long context requests', 'rate_limit_error', 'rate'],
    [429, 'Rate limit: 0 requests remaining. Try again in 20s', undefined, 'rate'],
    [429, 'accounts without billing enabled get 3 requests per minute', undefined, 'rate'],
    [429, 'Your traffic has been flagged as bursty', undefined, 'rate'],
    [429, 'Too many tokens for this request window: too many tokens in the prompt queue', undefined, 'rate'],
    [500, 'This incident has been flagged for our engineers', 'server_error', 'server'],
    [502, 'The context window cache exceeded its limit', undefined, 'server'],
    [503, 'Overloaded. See our usage policy', 'server_is_overloaded', 'overload'],
    [529, 'Overloaded: free accounts have insufficient quota', 'overloaded_error', 'overload'],
    [401, 'This key was flagged as leaked', 'invalid_api_key', 'auth'],
    [401, 'This key was flagged as leaked', undefined, 'auth'],
    [403, 'Your account was flagged; see the usage policy', 'permission_error', 'forbidden'],
    [424, 'The prompt injection guard is down', undefined, 'server'],
    [400, 'extra context window parameter exceeded allowed enum', undefined, 'bad-request'],
  ])('%i, %s', (status, message, code, reason) => {
    expect(reasonOf(status, { message, code })).toBe(reason);
  });

  test('in a stream the code alone says it', () => {
    const error = { type: 'rate_limit_error', message: 'rate limit for long context requests: flagged' };
    const facts = {
      ...{ streamed: true, begun: true, text: '', calls: [], open: [], finish: undefined, isKept: false, headers: {} },
      ...{ usage: { inputTokens: null, outputTokens: null, cacheReadTokens: null, cacheWriteTokens: null }, error },
    };
    expect(classifyModelError(new BrokenAnswer(facts), { now: NOW }).reason).toBe('rate');
  });
});

describe('phrases that mean one thing decide under every status', () => {
  test.each<[number, string, string | undefined, string]>([
    [429, 'Your credit balance is too low to access the API', 'rate_limit_error', 'billing'],
    [429, 'Your organization has reached its monthly spend limit.', 'rate_limit_error', 'billing'],
    [429, 'Quota exceeded for metric: a.b/c_requests, limit: 0, model: m', 'RESOURCE_EXHAUSTED', 'billing'],
    [429, 'Quota exceeded for metric: a, limit: 5\n* Quota exceeded for metric: b, limit: 0', undefined, 'billing'],
    [429, 'Quota exceeded for metric: a, limit: 0.5, model: m', undefined, 'rate'],
    [429, 'Account suspended due to insufficient balance', undefined, 'billing'],
    [429, 'Request too large for m: Limit 10, Requested 20', 'rate_limit_exceeded', 'request-over-limit'],
    [
      500,
      "This model's maximum context length is 4096 tokens. However, you requested 5000.",
      undefined,
      'context-length',
    ],
    [500, 'prompt is too long: 213462 tokens > 200000 maximum', 'api_error', 'context-length'],
  ])('%i, %s', (status, message, code, reason) => {
    expect(reasonOf(status, { message, code })).toBe(reason);
  });
});

describe('words alone decide where nothing else is said', () => {
  test.each<[string, string]>([
    ['Your input was flagged as potentially violating our usage policy', 'content-filter'],
    ['Output blocked by content filtering policy', 'content-filter'],
    ['This API method requires billing to be enabled', 'billing'],
    ['the request exceeds the available context size', 'context-length'],
    ['context window exceeded', 'context-length'],
    ['input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000', 'context-length'],
  ])('%s', (message, reason) => {
    expect(reasonOf(400, { message, type: 'invalid_request_error' })).toBe(reason);
  });
});

describe('a quota of the day is the one that was reached, not one that is mentioned', () => {
  test.each<[string, string]>([
    ['Rate limit reached on requests per day (RPD): Limit 200, Used 200', 'quota-day'],
    ['Rate limit exceeded: free-models-per-day. Add credits for 1000 requests per day', 'quota-day'],
    ['Too many tokens per day, please wait', 'quota-day'],
    ['You have reached your daily request quota', 'quota-day'],
    ['Daily limit exceeded', 'quota-day'],
    ['Rate limit reached for requests per minute. Our daily newsletter explains limits', 'rate'],
    ['Limit of requests per minute. Upgrade for 1000 requests per day', 'rate'],
    ['TPM exceeded; TPD is fine', 'rate'],
    ['We do maintenance daily', 'rate'],
  ])('%s', (message, reason) => {
    expect(reasonOf(429, { message, code: 'rate_limit_exceeded' })).toBe(reason);
  });
});
