import stringWidth from 'string-width';

const CHARACTERS = new Intl.Segmenter();

/** One line cut to so many columns of a terminal: of what is too long the start or the end is kept, and the cut marked. */
export function cutColumns(line: string, columns: number, keep: 'start' | 'end'): string {
  if (stringWidth(line) <= columns) return line;
  if (keep === 'end') return `…${endColumns(line, columns - 1)}`;
  const characters = charactersOf(line);
  return `${characters.slice(0, countFitting(characters, columns - 1)).join('')}…`;
}

/** The last characters of a text, as many as take at most so many columns. */
export function endColumns(text: string, columns: number): string {
  const characters = charactersOf(text);
  const fitting = countFitting(characters.toReversed(), columns);
  return characters.slice(characters.length - fitting).join('');
}

/** The same text as lines of at most so many columns, broken wherever one is full. */
export function breakColumns(line: string, columns: number): readonly string[] {
  const lines: string[] = [];
  for (let rest = charactersOf(line); rest.length > 0;) {
    // One that is wider than the line stands alone.
    const fitting = Math.max(1, countFitting(rest, columns));
    lines.push(rest.slice(0, fitting).join(''));
    rest = rest.slice(fitting);
  }
  return lines;
}

/** As a reader counts them: an accent belongs to its letter, and an emoji is one however it is made. */
const charactersOf = (text: string): readonly string[] =>
  Array.from(CHARACTERS.segment(text), ({ segment }) => segment);

function countFitting(characters: readonly string[], columns: number): number {
  let width = 0;
  const over = characters.findIndex((character) => (width += stringWidth(character)) > columns);
  return over < 0 ? characters.length : over;
}
