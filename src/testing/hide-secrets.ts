import { canonicalJson } from '../contracts/canonical-json.ts';
import type { Json } from '../contracts/json.ts';
import { isRecord, parseJson } from './parse-json.ts';

/** What keys, tokens and cards look like. */
const PATTERNS: readonly (readonly [rule: string, pattern: RegExp])[] = [
  ['pem', /-----BEGIN [A-Z ]+-----[\s\S]*?-----END [A-Z ]+-----/g],
  ['bearer', /\b(?:bearer|basic)\s+[\w.~+/=-]{8,}/gi],
  ['jwt', /\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]+/g],
  ['key', /\b(?:sk|pk|rk|xox[a-z]|ghp|gho|ghu|ghs|ghr)[-_][\w-]{8,}/g],
  ['aws', /\bA[KS]IA[A-Z0-9]{16}\b/g],
  ['user-info', /(?<=https?:\/\/)[^\s/@]+(?=@)/gi],
];
const CARD = /\b\d(?:[ -]?\d){12,18}\b/g;
const NAMES =
  /^(authorization|(set-)?cookie|pass(word|wd)?|ssn|(client[_-]?)?secret|((access|refresh|auth|id)[_-]?)?token|api[_-]?key|private[_-]?key)$/i;

/** The text without what looks like a key, a token or a card number. Again changes nothing more. */
export function hideSecrets(text: string): string {
  const hidden = PATTERNS.reduce((left, [rule, pattern]) => left.replace(pattern, `[REDACTED:${rule}]`), text);
  return hidden.replace(CARD, (digits) => (isCard(digits) ? '[REDACTED:card]' : digits));
}

/** The value with its texts cleaned, and without what its fields call a secret. */
export function hideSecretsIn(value: Json): Json {
  if (typeof value === 'string') return hideSecrets(value);
  if (Array.isArray(value)) return (value as readonly Json[]).map(hideSecretsIn);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, NAMES.test(name) ? hideWhole(item) : hideSecretsIn(item)]),
  );
}

const hideWhole = (value: Json): Json => (value === null || typeof value === 'boolean' ? value : '[REDACTED:name]');

/** JSON text cleaned by its fields; any other text as it is read. A text without secrets stays as it was written. */
export function hideSecretsInJson(text: string): string {
  // What JSON.parse returned is JSON by construction; the type cannot say so.
  const value = parseJson(text) as Json | undefined;
  if (value === undefined) return hideSecrets(text);
  const hidden = hideSecretsIn(value);
  return canonicalJson(hidden) === canonicalJson(value) ? text : JSON.stringify(hidden);
}

/** By the check digit that every card number ends with (Luhn, ISO/IEC 7812-1). */
function isCard(text: string): boolean {
  const digits = Array.from(text.replace(/\D/g, ''), Number).reverse();
  const sum = digits.reduce((left, digit, at) => {
    const doubled = at % 2 === 0 ? digit : digit * 2;
    return left + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return sum % 10 === 0;
}
