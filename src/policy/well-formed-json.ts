/** A pair of halves, any half alone, or any other escape: in this order, so that a pair is never taken for two halves. */
const ESCAPES = /\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[dD][89a-fA-F][0-9a-fA-F]{2}|\\[^]/g;

/**
 * JSON text in which no string holds half a surrogate pair, written out or as an escape: U+FFFD stands there instead. Providers that
 * read the JSON refuse such a request, and every one after it. Text that is not JSON stays as broken as it is.
 */
export function wellFormedJson(text: string): string {
  return text.toWellFormed().replace(ESCAPES, (found) => (/^\\u[dD][89a-fA-F]..$/.test(found) ? '\\ufffd' : found));
}
