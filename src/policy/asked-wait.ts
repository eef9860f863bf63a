import type { ProviderError } from './read-provider-error.ts';

/** How long a server asks us to wait, and where it said so. */
export interface AskedWait {
  readonly ms: number;
  readonly from: string;
}

/** No wait beyond this is one that anybody sleeps, and no date or timer may overflow by it: what is longer is cut to it. */
export const LONGEST_ASKED_MS = 30 * 86_400_000;

export type Header = (name: string) => string | null | undefined;

/**
 * The wait that the headers of an answer ask for: `retry-after-ms`, then `retry-after` as seconds or as an HTTP date, judged by
 * the answer's own `Date` (our clock may be wrong). Unreadable, zero, negative or past: undefined, as if it had not asked.
 */
export function readHeaderWait(header: Header, now: number): AskedWait | undefined {
  return (
    wait(numberOf(header('retry-after-ms')), 'retry-after-ms') ??
    wait(numberOf(header('retry-after')) * 1_000, 'retry-after') ??
    wait(untilDate(header('retry-after') ?? '', header('date') ?? '', now), 'retry-after-date')
  );
}

/** The first of all places in which providers say how long to wait. Buckets say when they are full again: an upper bound. */
export function readAskedWait(header: Header, said: ProviderError, now: number): AskedWait | undefined {
  return (
    readHeaderWait(header, now) ??
    wait(numberOf(said.availability['retry_after']) * 1_000, 'openrouter-availability') ??
    wait(numberOf(said.metadata['retry_after_seconds']) * 1_000, 'openrouter-metadata') ??
    readRetryInfo(said) ??
    readBuckets(header, now) ??
    readMessages(said.messages)
  );
}

const wait = (ms: number, from: string): AskedWait | undefined =>
  Number.isFinite(ms) && Math.round(ms) > 0 ? { ms: Math.min(Math.round(ms), LONGEST_ASKED_MS), from } : undefined;

function numberOf(value: unknown): number {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && /^\s*\d+(\.\d+)?\s*$/.test(value) ? Number(value) : Number.NaN;
}

function untilDate(value: string, answeredAt: string, now: number): number {
  // A date has letters; a number alone is none, whatever the platform's parser says.
  if (!/[a-z]/i.test(value)) return Number.NaN;
  const sentAt = Date.parse(answeredAt);
  return Date.parse(value) - (Number.isNaN(sentAt) ? now : sentAt);
}

/** Google sends no header but a detail of this type. */
function readRetryInfo({ details }: ProviderError): AskedWait | undefined {
  const info = details.find((detail) => String(detail['@type']).endsWith('google.rpc.RetryInfo'));
  return wait(durationOf(info?.['retryDelay']), 'google-retryinfo');
}

interface Bucket {
  readonly reset: string;
  readonly remaining: string;
  readonly msOf: (value: string, now: number) => number;
}

const untilTime = (value: string, now: number): number => Date.parse(value) - now;

/** Epoch milliseconds; what is too small for those is seconds. */
function untilEpoch(value: string, now: number): number {
  const epoch = numberOf(value);
  return (epoch < 1e12 ? epoch * 1_000 : epoch) - now;
}

const BUCKETS: readonly (readonly Bucket[])[] = [
  ['requests', 'tokens', 'input-tokens', 'output-tokens'].map((name) => ({
    reset: `anthropic-ratelimit-${name}-reset`,
    remaining: `anthropic-ratelimit-${name}-remaining`,
    msOf: untilTime,
  })),
  ['requests', 'tokens'].map((name) => ({
    reset: `x-ratelimit-reset-${name}`,
    remaining: `x-ratelimit-remaining-${name}`,
    msOf: durationOf,
  })),
  [{ reset: 'x-ratelimit-reset', remaining: 'x-ratelimit-remaining', msOf: untilEpoch }],
];

/** Of several empty buckets the one that is full last. */
function readBuckets(header: Header, now: number): AskedWait | undefined {
  for (const kind of BUCKETS) {
    const waits = kind
      .filter(({ remaining }) => numberOf(header(remaining)) === 0)
      .map(({ reset, msOf }) => wait(msOf(header(reset) ?? '', now), reset))
      .filter((asked) => asked !== undefined);
    const longest = waits.sort((a, b) => b.ms - a.ms)[0];
    if (longest) return longest;
  }
  return undefined;
}

/** `46s`, `1.5s`, `6m0s`, `9h54m12.1s`, `2 minutes and 5 seconds`. */
const UNIT = '(?:ms|msecs?|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?)(?![a-zµ])';
const PIECE = String.raw`\d+(?:\.\d+)?\s*${UNIT}`;
const DURATION = String.raw`${PIECE}(?:(?:\s*,)?(?:\s*and)?\s*${PIECE}){0,4}`;
const ABOUT = String.raw`(?:about\s+|approximately\s+|at least\s+|another\s+)?`;

const IN_WORDS = [
  String.raw`(?:try|retry|retrying)\s+(?:(?:again|(?:your|the|this)\s+(?:\w+\s+)?(?:requests?|calls?|prompt))\s+){0,2}(?:in|after)\s+`,
  String.raw`(?:please|must|should|to)\s+wait\s+(?:for\s+)?`,
  String.raw`wait\s+(?:in|after|for)\s+`,
  String.raw`(?:resets?|available(?: again)?)\s+(?:in|after)\s+`,
].map((words) => new RegExp(String.raw`\b${words}${ABOUT}(${DURATION})`, 'i'));

function readMessages(messages: readonly string[]): AskedWait | undefined {
  for (const message of messages) {
    const said = IN_WORDS.map((words) => words.exec(message)?.[1]).find((text) => text !== undefined);
    const asked = wait(durationOf(said), 'message');
    if (asked) return asked;
  }
  return undefined;
}

const UNITS: readonly (readonly [RegExp, number])[] = [
  [/^(ms|msecs?|milliseconds?)$/i, 1],
  [/^(s|secs?|seconds?)$/i, 1_000],
  [/^(m|mins?|minutes?)$/i, 60_000],
  [/^(h|hrs?|hours?)$/i, 3_600_000],
  [/^(d|days?)$/i, 86_400_000],
];

const WHOLE = new RegExp(String.raw`^\s*${DURATION}\s*$`, 'i');

/** Milliseconds of a text that is a duration and nothing else: `-46s` is none. */
function durationOf(value: unknown): number {
  if (typeof value !== 'string' || !WHOLE.test(value)) return Number.NaN;
  const pieces = [...value.matchAll(/(\d+(?:\.\d+)?)\s*([a-z]+)/gi)].filter(([, , word]) => word !== 'and');
  return pieces.reduce((ms, [, digits, word]) => ms + Number(digits) * unitOf(word ?? ''), 0);
}

const unitOf = (word: string): number => UNITS.find(([name]) => name.test(word))?.[1] ?? Number.NaN;
