import stringWidth from 'string-width';
import { cutColumns } from './cut-columns.ts';

/** One line of at most so many columns; what does not fit is cut and marked. */
export function fit(text: string, columns: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return cutColumns(line, Math.max(8, columns), 'start');
}

/** Lines of at most so many columns, broken between words; a longer word stays whole. Line breaks in the text are kept. */
export function wrap(text: string, columns: number): readonly string[] {
  return text.split('\n').flatMap((line) => wrapLine(line.trimEnd(), Math.max(20, columns)));
}

function wrapLine(line: string, columns: number): readonly string[] {
  const lines: string[] = [];
  for (const word of line.split(' ')) {
    const last = lines.at(-1);
    if (last === undefined || stringWidth(last) + 1 + stringWidth(word) > columns) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}
