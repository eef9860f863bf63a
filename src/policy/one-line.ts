/** Text of unknown origin on one line of a message: no line breaks, nothing invisible or that turns the direction, bounded. */
export function oneLine(text: string, maxLength: number): string {
  const line = text
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  const letters = Array.from(line);
  return letters.length > maxLength ? `${letters.slice(0, maxLength - 1).join('')}…` : line;
}
