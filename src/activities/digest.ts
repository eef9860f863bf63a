import { createHash, createHmac } from 'node:crypto';
import { canonicalJson } from '../contracts/canonical-json.ts';
import type { Json } from '../contracts/json.ts';
import type { LedgerKey } from '../contracts/ledger.ts';

/** SHA-256 of a value's canonical JSON, 64 hex digits: key order and Unicode normal form make no difference. */
export function digestOf(value: Json): string {
  // Before the keys are put in order: taken apart, their letters stand elsewhere.
  return createHash('sha256')
    .update(canonicalJson(composed(value)))
    .digest('hex');
}

/** Every text in it, names of fields included, in Unicode's composed form. */
function composed(value: Json): Json {
  if (typeof value === 'string') return value.normalize('NFC');
  if (Array.isArray(value)) return value.map(composed);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).filter(([, item]) => item !== undefined);
  return Object.fromEntries(fields.map(([name, item]) => [name.normalize('NFC'), composed(item)]));
}

/**
 * The key a receiver sees: the first 32 hex digits of SHA-256, or with a secret HMAC-SHA-256, of scope, intent and, from the
 * second on, generation. A function of the business action alone, so that it survives retries, restarts, resets and re-plans.
 */
export function wireKey({ scope, intent }: LedgerKey, generation: number, secret?: string): string {
  const parts = JSON.stringify(generation === 1 ? [scope, intent] : [scope, intent, generation]);
  const hash = secret === undefined ? createHash('sha256') : createHmac('sha256', secret);
  return hash.update(parts).digest('hex').slice(0, 32);
}
