/**
 * Text that a model or a service may have written, for a page that reads Markdown: shown as it is, and forming nothing. Letters
 * that cannot be seen, or turn the order of others, are shown by their number: what is read is what is sent.
 */
export function plainText(text: string): string {
  return visible(text).replace(/[\\`*_[\]<>#|~!$]/g, (letter) => `\\${letter}`);
}

/** The same as a span of code, of at most so many letters; what is cut is counted. */
export function codeSpan(text: string, most = 2_000): string {
  const shown = visible(text);
  const cut = shown.length > most ? `${shown.slice(0, most)}… (${text.length} characters in all)` : shown;
  // A span is ended by as many backticks as began it, and no others.
  const longest = Math.max(0, ...[...cut.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return longest === 0 ? `${fence}${cut}${fence}` : `${fence} ${cut} ${fence}`;
}

/** Controls, line breaks, zero-width letters and those that turn the direction of reading. */
const UNSEEN = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;

function visible(text: string): string {
  return text.replace(UNSEEN, (letter) => `\\u{${(letter.codePointAt(0) ?? 0).toString(16)}}`);
}
