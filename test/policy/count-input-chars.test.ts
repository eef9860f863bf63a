import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { expect, test } from '@jest/globals';
import { countInputChars } from '../../src/policy/count-input-chars.ts';

type Prompt = LanguageModelV4CallOptions['prompt'];

test.each<[string, Prompt, number]>([
  ['nothing', [], 0],
  ['a system message', [{ role: 'system', content: 'Be kind.' }], 8],
  [
    'texts',
    [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'abc' },
          { type: 'text', text: 'de' },
        ],
      },
    ],
    5,
  ],
  ['reasoning', [{ role: 'assistant', content: [{ type: 'reasoning', text: 'hmm' }] }], 3],
  [
    'arguments',
    [{ role: 'assistant', content: [{ type: 'tool-call', toolCallId: '1', toolName: 'pay', input: { a: 1 } }] }],
    10,
  ],
  [
    'results',
    [
      {
        role: 'tool',
        content: [{ type: 'tool-result', toolCallId: '1', toolName: 'pay', output: { type: 'text', value: 'ok' } }],
      },
    ],
    3 + '{"type":"text","value":"ok"}'.length,
  ],
])('%s', (_, prompt, chars) => {
  expect(countInputChars({ prompt })).toBe(chars);
});

test('the tools it is offered, and no files', () => {
  const file = { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'AAAA' } } as const;
  const tool = { type: 'function', name: 'pay', inputSchema: {} } as const;
  expect(countInputChars({ prompt: [{ role: 'user', content: [file] }], tools: [tool] })).toBe(
    JSON.stringify(tool).length,
  );
});
