import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Json } from '../../src/contracts/json.ts';
import { canonicalJson } from '../../src/contracts/canonical-json.ts';
import { anyJson } from '../stores/arbitraries.ts';

test.each<[Json, string]>([
  [{ b: 1, a: { d: [], c: null } }, '{"a":{"c":null,"d":[]},"b":1}'],
  [{ 9: 'nine', 10: 'ten', a: 'a' }, '{"10":"ten","9":"nine","a":"a"}'],
  [{ '\ufb33': 1, '😀': 2, '\u20ac': 3 }, '{"€":3,"😀":2,"\ufb33":1}'],
  [[1e21, 0.1, -0, 1e-7], '[1e+21,0.1,0,1e-7]'],
  ['\u0000"\\\ud800', '"\\u0000\\"\\\\\\ud800"'],
])('%j is written as %s', (value, text) => {
  expect(canonicalJson(value)).toBe(text);
});

test('a field that is undefined is not there', () => {
  expect(canonicalJson({ a: undefined, b: 1 } as unknown as Json)).toBe('{"b":1}');
});

test.each<[string, unknown]>([
  ['$.a[1] as JSON: it is NaN', { a: [0, NaN] }],
  ['$.a as JSON: it is Infinity', { a: Infinity }],
  ['$[0] as JSON: it is undefined', [undefined]],
  ['$[1] as JSON: it is undefined', [0, , 2]],
  ['$ as JSON: it is a bigint', 1n],
  ['$.f as JSON: it is a function', { f: () => 1 }],
  ['$.when as JSON: it is [object Date]', { when: new Date(0) }],
  ['$.map as JSON: it is [object Map]', { map: new Map() }],
  ['$ as JSON: it is [object Uint8Array]', new Uint8Array(2)],
])('refuses to write %s', (message, value) => {
  expect(() => canonicalJson(value as Json)).toThrow(`Cannot write ${message}`);
});

test('reads back as the same value', () => {
  fc.assert(fc.property(anyJson, (value) => expect(JSON.parse(canonicalJson(value))).toEqual(value)));
});

test('does not depend on the order of the fields', () => {
  const turned = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(turned);
    if (typeof value !== 'object' || value === null) return value;
    const fields = Object.entries(value).map(([key, field]): [string, Json] => [key, turned(field)]);
    return Object.fromEntries(fields.reverse());
  };
  fc.assert(fc.property(anyJson, (value) => expect(canonicalJson(turned(value))).toBe(canonicalJson(value))));
});
