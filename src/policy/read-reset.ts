import type { ProviderError } from './read-provider-error.ts';

/** `resets_at` of a budget, or "regain access on 2026-11-01 at 00:00 UTC". */
const REGAIN = /regain access on (\d{4}-\d{2}-\d{2})(?:[ T](?:at )?(\d{2}:\d{2}(?::\d{2})?))?/i;

/** The ISO time at which a provider says that the account works again. */
export function readReset({ metadata, messages }: ProviderError): string | undefined {
  const words = messages.map((message) => REGAIN.exec(message)).find((found) => found !== null);
  const at = momentOf(metadata['resets_at'] ?? (words ? `${words[1] ?? ''}T${words[2] ?? '00:00'}Z` : undefined));
  const isDate = at > 0 && at < END_OF_DATES;
  return isDate ? new Date(at).toISOString().replace('.000Z', 'Z') : undefined;
}

/** Of the years that people write with four digits. */
const END_OF_DATES = Date.UTC(10_000);

/** Epoch milliseconds of a date, or of a number of seconds or milliseconds. */
function momentOf(named: unknown): number {
  if (typeof named === 'string') return Date.parse(named);
  if (typeof named !== 'number') return Number.NaN;
  return named < 1e12 ? named * 1_000 : named;
}
