import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { wellFormedJson } from '../../src/policy/well-formed-json.ts';

test.each([
  ['half a pair', '{"a":"\\ud83d"}', { a: '\ufffd' }],
  ['the other half', '{"a":"x\\uDE00y"}', { a: 'x\ufffdy' }],
  ['two halves in the wrong order', '["\\ude00\\ud83d"]', ['\ufffd\ufffd']],
  ['a name', '{"\\ud83d":1}', { '\ufffd': 1 }],
  ['half a pair that is written out', '["\ud83d"]', ['\ufffd']],
  ['a whole pair', '["\\ud83d\\ude00"]', ['\u{1f600}']],
  ['a pair after half of one', '["\\ud83d\\ud83d\\ude00"]', ['\ufffd\u{1f600}']],
  ['a text that only looks like one', '["\\\\ud83d"]', ['\\ud83d']],
])('%s', (_, text, value) => {
  expect(JSON.parse(wellFormedJson(text))).toEqual(value);
});

test('whatever the value: every string of it is well-formed, and what was so before is as it was', () => {
  fc.assert(
    fc.property(
      fc.jsonValue({ stringUnit: 'binary' }),
      fc.array(fc.integer({ min: 0, max: 0xffff })),
      (value, units) => {
        expect(wellFormedJson(JSON.stringify(value))).toBe(JSON.stringify(value));
        const odd = String.fromCharCode(...units);
        expect(JSON.parse(wellFormedJson(JSON.stringify({ [odd]: [odd] })))).toEqual({
          [odd.toWellFormed()]: [odd.toWellFormed()],
        });
      },
    ),
  );
});
