/** Where a message begins to quote what it is about: a body, a value, a page. */
const QUOTES: readonly (readonly [pattern: RegExp, left: string])[] = [
  // V8 quotes the text around the place.
  [/(unexpected token .{0,40}?, )?(\.\.\.)?"[^\n]{0,200}?"(\.\.\.)? is not valid JSON/is, 'the text is not valid JSON'],
  // The AI SDK quotes the whole of it.
  [/\b(type validation failed.{0,200}?: value:|json parsing failed: text:|invalid response data:).*/is, '$1 …'],
  [/\b(value|text|body|data|response|received|input|payload|content|chunk):\s*[{[<].*/is, '$1: …'],
  [/(?<=\w):\s+([{[]\s*["{[]|<(!doctype|html)\b).*/is, ': …'],
];

/** A message without the payload that it quotes. */
export function cutQuotes(text: string): string {
  return QUOTES.reduce((left, [pattern, words]) => left.replace(pattern, words), text);
}
