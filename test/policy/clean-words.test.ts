import { describe, expect, test } from '@jest/globals';
import { asSentence } from '../../src/policy/as-sentence.ts';
import { classifyModelError } from '../../src/policy/classify-model-error.ts';
import { cleanMessage } from '../../src/policy/clean-message.ts';
import { readErrorFacts } from '../../src/policy/error-facts.ts';
import { BrokenAnswer } from '../../src/policy/judge-answer.ts';

const NOW = Date.parse('2026-11-30T10:00:00Z');
const usage = { inputTokens: null, outputTokens: null, cacheReadTokens: null, cacheWriteTokens: null };

function messageOfChunk(error: Error): string {
  const facts = {
    ...{ streamed: true, begun: true, text: '', calls: [], open: [], finish: undefined, isKept: false, headers: {} },
    ...{ usage, error },
  };
  return classifyModelError(new BrokenAnswer(facts), { now: NOW }).message;
}

const named = (name: string, message: string, cause?: unknown) =>
  Object.assign(new Error(message, { cause }), { name });

describe('words before a sentence of ours end with one full stop', () => {
  test.each([
    ['injected fault: 503', 'injected fault: 503.'],
    ['failed.', 'failed.'],
    ['failed..', 'failed.'],
    ['failed ;', 'failed.'],
    ['failed: ', 'failed.'],
    ['Who knows?', 'Who knows?'],
    ['cut off…', 'cut off…'],
    ['and so on ...', 'and so on.'],
    ['', ''],
    [' \n', ''],
    ['...', ''],
  ])('%p', (text, sentence) => {
    expect(asSentence(text)).toBe(sentence);
    expect(asSentence(sentence)).toBe(sentence);
  });

  test('a model failure that says more is two sentences', () => {
    const said = (message: string) =>
      classifyModelError(
        Object.assign(new Error('x'), {
          ...{ name: 'AI_APICallError', statusCode: 429, responseHeaders: { 'retry-after': '90' } },
          responseBody: JSON.stringify({ error: { message } }),
        }),
        { now: NOW },
      ).message;
    expect(said('Slow down')).toBe('The model could not be asked (rate): Slow down. It asks to wait for 90 s.');
    expect(said('Slow down.')).toBe('The model could not be asked (rate): Slow down. It asks to wait for 90 s.');
  });

  test('what was behind an error follows a colon alone', () => {
    expect(readErrorFacts(new Error('It failed.', { cause: new Error('down') })).message).toBe('It failed: down');
  });
});

describe('a message quotes no payload', () => {
  const VALUE = { id: 'c', choices: 'PAYLOAD of the customer', text: 'more of it' };
  const quoting = `Type validation failed: Value: ${JSON.stringify(VALUE)}.\nError message: [{"path":["PAYLOAD"]}]`;

  test.each([
    ['a chunk that does not fit', named('AI_TypeValidationError', quoting)],
    ['a chunk that is no JSON', named('AI_JSONParseError', 'JSON parsing failed: Text: PAYLOAD of.\nError message: x')],
    [
      'one behind another error',
      named('AI_APICallError', 'Invalid response', named('AI_TypeValidationError', quoting)),
    ],
    ['a parser', named('SyntaxError', `Unexpected token 'P', "PAYLOAD of "... is not valid JSON`)],
  ])('of %s', (_what, error) => {
    for (const message of [messageOfChunk(error), readErrorFacts(error).message]) {
      expect(message).not.toContain('PAYLOAD');
      expect(message).toMatch(/not (valid )?JSON|shape that was expected/);
    }
  });

  test.each([
    [quoting, 'Type validation failed: Value: …'],
    ['JSON parsing failed: Text: PAYLOAD.\nError message: x', 'JSON parsing failed: Text: …'],
    [`Invalid input for tool t: ${quoting}`, 'Invalid input for tool t: Type validation failed: Value: …'],
    ['cannot read body: {"a":1} at all', 'cannot read body: …'],
    ['bad response body: <html><p>x', 'bad response body: …'],
    ['Received: [1, 2]', 'Received: …'],
    ['Unexpected token \'h\', "hello" is not valid JSON', 'the text is not valid JSON'],
    ['Invalid response data: "PAYLOAD"', 'Invalid response data: …'],
    ['answered {"order":{"id":[1]}}', 'answered {"order":{"id":[1]}}'],
    ['the value: 7 is too high', 'the value: 7 is too high'],
    ['Text: hello', 'Text: hello'],
  ])('cut: %p', (text, clean) => {
    expect(cleanMessage(text)).toBe(clean);
  });
});
