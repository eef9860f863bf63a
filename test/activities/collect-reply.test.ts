import { expect, test } from '@jest/globals';
import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { collectReply } from '../../src/activities/collect-reply.ts';

type Part = LanguageModelV4StreamPart;
type Reason = Extract<Part, { type: 'finish' }>['finishReason'];

const finish = (finishReason: Reason): Part => {
  const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  };
  return { type: 'finish', finishReason, usage };
};
const STOP: Reason = { unified: 'stop', raw: 'stop' };
const CUT: Reason = { unified: 'length', raw: 'length' };
const CALLS: Reason = { unified: 'tool-calls', raw: 'tool_calls' };

const text: readonly Part[] = [{ type: 'text-delta', id: '0', delta: 'It rains.' }];
const begun = (id: string, own: object): readonly Part[] => [
  { type: 'tool-input-start', id, toolName: 'search', ...own },
  { type: 'tool-input-delta', id, delta: '{"q":1}' },
];
const whole = (toolCallId: string, own: object): Part => {
  return { type: 'tool-call', toolCallId, toolName: 'search', input: '{"q":1}', ...own };
};
const ITS_OWN = { providerExecuted: true };

test.each<[string, readonly Part[], readonly string[]]>([
  ['whole', [whole('p', ITS_OWN), ...text, finish(STOP)], []],
  ['in pieces', [...begun('p', ITS_OWN), whole('p', ITS_OWN), ...text, finish(STOP)], []],
  ['named as such only when it is whole', [...begun('p', {}), whole('p', ITS_OWN), ...text, finish(STOP)], []],
  ['cut off', [...text, ...begun('p', ITS_OWN), finish(CUT)], []],
  ['beside one of ours', [whole('p', ITS_OWN), ...begun('o', {}), whole('o', {}), finish(CALLS)], ['o']],
  ['not at all', [whole('o', { providerExecuted: false }), finish(CALLS)], ['o']],
])('a call that the provider carries out itself is none of ours: %s', async (_, parts, ours) => {
  const { calls } = await collectReply(ReadableStream.from<Part>(parts));
  expect(calls.map(({ toolCallId }) => toolCallId)).toEqual(ours);
});
