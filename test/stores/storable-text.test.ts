import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { fromStorableText, toStorableText } from '../../src/stores/storable-text.ts';
import { anyText } from './arbitraries.ts';

test.each([
  ['refund:A-1042', 'refund:A-1042'],
  ['é 👩‍👩‍👧', 'é 👩‍👩‍👧'],
  ['a\0b', 'a\\u0000b'],
  ['\\u0000', '\\u005cu0000'],
  ['\ud83d', '\\ud83d'],
  ['\ude00\ud83d', '\\ude00\\ud83d'],
])('%j is stored as %s', (text, stored) => {
  expect(toStorableText(text)).toBe(stored);
});

test('any text comes back, through a form that a database keeps', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const stored = toStorableText(text);
      expect(stored.isWellFormed() && !stored.includes('\0')).toBe(true);
      expect(fromStorableText(stored)).toBe(text);
    }),
    { numRuns: 2_000 },
  );
});
