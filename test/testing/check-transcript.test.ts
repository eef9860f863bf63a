import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import type { ChatCall, ChatMessage } from '../../src/testing/chat-message.ts';
import { checkTranscript } from '../../src/testing/check-transcript.ts';

const user: ChatMessage = { role: 'user', content: 'hello' };
const system: ChatMessage = { role: 'system', content: 'be kind' };
const said: ChatMessage = { role: 'assistant', content: 'hi', calls: [] };
const call = (id: string, text = '{}'): ChatCall => ({ id, tool: 'look', arguments: text });
const asks = (...calls: readonly ChatCall[]): ChatMessage => ({ role: 'assistant', content: '', calls });
const result = (callId: string): ChatMessage => ({ role: 'tool', callId, content: '' });

const bad: readonly (readonly [string, readonly ChatMessage[], string])[] = [
  ['a call without a result', [user, asks(call('a'))], 'without a result: a'],
  ['a call answered only after the user spoke', [user, asks(call('a')), user, result('a')], 'without a result: a'],
  ['one of two calls unanswered', [user, asks(call('a'), call('b')), result('a')], 'without a result: b'],
  ['a second result', [user, asks(call('a')), result('a'), result('a')], 'a second result: "a"'],
  ['a result nobody asked for', [user, result('a')], 'a result without a call: "a"'],
  ['an id used in one message twice', [user, asks(call('a'), call('a')), result('a')], 'was used before'],
  ['an id used again later', [user, asks(call('a')), result('a'), asks(call('a')), result('a')], 'was used before'],
  ['arguments that are cut', [user, asks(call('a', '{"x":')), result('a')], 'not a JSON object'],
  ['arguments that are no object', [user, asks(call('a', '[1]')), result('a')], 'not a JSON object'],
  ['an impossible tool name', [user, asks({ ...call('a'), tool: 'a b' }), result('a')], 'is no tool name'],
  ['an empty user message', [{ role: 'user', content: '' }], 'an empty user message'],
  ['an empty model reply', [user, asks(), user], 'an empty assistant message'],
  ['half a character', [{ role: 'user', content: '\ud83d' }], 'not valid Unicode'],
  ['the model speaking first', [system, said, user], 'the user speaks before the model'],
  ['a late system message', [user, said, system, user], 'system messages come first'],
  ['a last word of the model', [user, said], 'the last message is'],
  ['nothing at all', [], 'the last message is'],
];

describe('a strict provider refuses', () => {
  test.each(bad)('%s', (_, messages, problem) => {
    expect(checkTranscript(messages)?.problem).toContain(problem);
  });
});

/** Conversations a strict provider takes, with 0 to 3 parallel calls a turn, answered in any order. */
const goodTranscripts: fc.Arbitrary<readonly ChatMessage[]> = fc
  .array(fc.shuffledSubarray([0, 1, 2]), { minLength: 1, maxLength: 4 })
  .map((turns) => [system, user, ...turns.flatMap(toTurn)]);

function toTurn(order: readonly number[], turn: number): readonly ChatMessage[] {
  const ids = order.map((at) => `call_${turn}_${at}`);
  return order.length === 0 ? [said, user] : [asks(...[...ids].sort().map((id) => call(id))), ...ids.map(result)];
}

describe('any conversation a strict provider takes', () => {
  it('passes', () => {
    fc.assert(fc.property(goodTranscripts, (messages) => checkTranscript(messages) === undefined));
  });

  it('is refused once any one result is missing or doubled', () => {
    fc.assert(
      fc.property(goodTranscripts, fc.nat(), fc.constantFrom(0, 2), (messages, dice, copies) => {
        const results = messages.flatMap((message, at) => (message.role === 'tool' ? [at] : []));
        fc.pre(results.length > 0);
        const chosen = results[dice % results.length] ?? 0;
        const spoilt = messages.flatMap(
          (message, at) => Array(at === chosen ? copies : 1).fill(message) as ChatMessage[],
        );
        return checkTranscript(spoilt) !== undefined;
      }),
    );
  });
});
