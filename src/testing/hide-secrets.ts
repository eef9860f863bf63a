import { canonicalJson } from '../contracts/canonical-json.ts';
import type { Json } from '../contracts/json.ts';
import { isSecretName, replaceSecrets } from '../policy/mask-secrets.ts';
import { isRecord, parseJson } from './parse-json.ts';

const CARD = /\b\d(?:[ -]?\d){12,18}\b/g;
const CARD_MARK = '[REDACTED:card]';

/** The text without what looks like a key, a token or a card number. Again changes nothing more. */
export function hideSecrets(text: string): string {
  const hidden = replaceSecrets(text, (rule) => `[REDACTED:${rule}]`);
  return hidden.replace(CARD, (digits) => (isCard(digits) ? CARD_MARK : digits));
}

/** The value with its texts cleaned, and without what its fields call a secret. */
export function hideSecretsIn(value: Json): Json {
  if (typeof value === 'string') return hideSecrets(value);
  if (typeof value === 'number') return isCard(String(value)) ? CARD_MARK : value;
  if (Array.isArray(value)) return (value as readonly Json[]).map(hideSecretsIn);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, isSecretName(name) ? hideWhole(item) : hideSecretsIn(item)]),
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

/**
 * By its first digit, its length and the check digit that every card number ends with (Luhn, ISO/IEC 7812-1). A number of
 * milliseconds begins with 1.
 */
function isCard(text: string): boolean {
  if (!/^(4\d{12}|[2-6]\d{13,18})$/.test(text.replace(/[ -]/g, ''))) return false;
  const digits = Array.from(text.replace(/\D/g, ''), Number).reverse();
  const sum = digits.reduce((left, digit, at) => {
    const doubled = at % 2 === 0 ? digit : digit * 2;
    return left + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return sum % 10 === 0;
}
