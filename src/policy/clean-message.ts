import { cutQuotes } from './cut-quotes.ts';
import { maskSecrets } from './mask-secrets.ts';

const MAX_LENGTH = 300;
/** Of a text as long as a payload only the beginning is looked at. */
const MAX_READ = 8_000;

/**
 * An error's message fit for history, people and the model: one line, no credentials, no query strings, no payload, bounded.
 * @param known secrets that must not be in it, whatever they look like
 */
export function cleanMessage(text: string, known: readonly string[] = []): string {
  const open = cutQuotes(text.slice(0, MAX_READ))
    .replace(/\b(https?:\/\/)[^\s/]*@/gi, '$1')
    .replace(/(https?:\/\/[^\s?#]*)[?#][^\s]*/gi, '$1');
  const clean = maskSecrets(open, known).replace(/\s+/g, ' ').trim();
  const short = clean.length > MAX_LENGTH ? `${clean.slice(0, MAX_LENGTH - 1)}…` : clean;
  // Half a character, which the cut itself may leave, is no text for Temporal: a failure of under 40 characters with one in it
  // ends the worker that hears of it.
  return short.toWellFormed();
}
