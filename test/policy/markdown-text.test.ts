import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { codeSpan, plainText } from '../../src/policy/markdown-text.ts';

describe('what a model wrote, on a page that reads Markdown', () => {
  test.each([
    ['{"a":1}', '`{"a":1}`'],
    ['a ` b', '`` a ` b ``'],
    ['``` x', '```` ``` x ````'],
    ['49\u202e00', '`49\\u{202e}00`'],
    ['a\u200bb\nc', '`a\\u{200b}b\\u{a}c`'],
  ])('%j as a span', (text, shown) => {
    expect(codeSpan(text)).toBe(shown);
  });

  test('a long text is cut, and says how long it is', () => {
    expect(codeSpan('x'.repeat(3_000))).toBe(`\`${'x'.repeat(2_000)}… (3000 characters in all)\``);
  });

  test('plain text forms no link, picture, heading, tag or formula', () => {
    expect(plainText('[pay](http://x) ![p](y) # h <b> $x$ *y*')).toBe(
      '\\[pay\\](http://x) \\!\\[p\\](y) \\# h \\<b\\> \\$x\\$ \\*y\\*',
    );
  });

  test('a span is ended by nothing within it', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('`', 'a', ' ', '\n') }), (text) => {
        const [, fence = '', inner = ''] = /^(`+)([^]*)\1$/.exec(codeSpan(text)) ?? [];
        expect(inner.split(/[^`]+/).every((ticks) => ticks.length < fence.length)).toBe(true);
      }),
    );
  });
});
