import { canonicalJson } from '../contracts/canonical-json.ts';
import type { Json } from '../contracts/json.ts';
import type { LedgerKey } from '../contracts/ledger.ts';

const MASK = (1n << 64n) - 1n;

/** FNV-1a, 64 bits, with the fmix64 finaliser: an id that is a function of its key. Not for secrets. Each seed has its own ids. */
function hash64(text: string, seed = 0n): bigint {
  let hash = 0xcbf29ce484222325n ^ ((seed * 0x9e3779b97f4a7c15n) & MASK);
  for (const byte of new TextEncoder().encode(text)) hash = ((hash ^ BigInt(byte)) * 0x100000001b3n) & MASK;
  hash ^= hash >> 33n;
  hash = (hash * 0xff51afd7ed558ccdn) & MASK;
  hash ^= hash >> 33n;
  hash = (hash * 0xc4ceb9fe1a85ec53n) & MASK;
  return hash ^ (hash >> 33n);
}

// Without letters and digits that people mix up when they read an id aloud.
const LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789';

/** `q` and six letters: short enough to say on the phone. */
function shortId(about: Json): string {
  let rest = hash64(canonicalJson(about));
  let id = 'q';
  for (let i = 0; i < 6; i++) {
    id += LETTERS.charAt(Number(rest % BigInt(LETTERS.length)));
    rest /= BigInt(LETTERS.length);
  }
  return id;
}

/**
 * A question of an outcome is about one generation of one action: the same over
 * restarts, resets and runs that ask together, and another one when the action has been taken up again.
 */
export function questionId({ namespace, scope, intent }: LedgerKey, generation: number): string {
  return shortId([namespace, scope, intent, generation]);
}

/** What a question for approval is about: one call with its arguments, in one generation of its action. */
export interface AskedCall {
  readonly execution: string;
  readonly call: string;
  readonly digest: string;
  readonly generation: number;
  /** How often it has expired. */
  readonly round: number;
}

/** The same after a reset that comes to the same call again, and another one once the last was used up or has expired. */
export function approvalId({ execution, call, digest, generation, round }: AskedCall): string {
  const again = generation === 1 ? [] : [generation];
  return shortId(['approval', execution, call, digest, round, ...again]);
}

/** 13 letters and digits that are a function of a value alone. Not for secrets. */
export const stableHash = (value: Json): string => hash64(canonicalJson(value)).toString(36).padStart(13, '0');

// Of 64 bits all zero OpenTelemetry says that there is no id.
const hex64 = (text: string, seed: bigint): string => (hash64(text, seed) || 1n).toString(16).padStart(16, '0');

/** 32 hex digits, as a trace has them: whoever knows the run finds the same, on another worker or after a replay. */
export const traceId = (run: string): string => hex64(run, 1n) + hex64(run, 2n);

/** What a span is about: one stretch of a run, one call, or one attempt or request of a call. */
export type SpanSubject =
  | { readonly run: string; readonly segment: number }
  | { readonly run: string; readonly call: string; readonly attempt?: number; readonly part?: number };

/** 16 hex digits. */
export function spanId(subject: SpanSubject): string {
  const { run } = subject;
  if ('segment' in subject) return hex64(`${run}/seg/${subject.segment}`, 3n);
  const { call, attempt, part } = subject;
  if (attempt === undefined) return hex64(`${run}/op/${call}`, 3n);
  return hex64(`${run}/act/${call}/${attempt}${part === undefined ? '' : `/${part}`}`, 3n);
}
