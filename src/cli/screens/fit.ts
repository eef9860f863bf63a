/** One line of at most so many columns; what does not fit is cut and marked. */
export function fit(text: string, columns: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  const most = Math.max(8, columns);
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}

/** Lines of at most so many columns, broken between words; a longer word stays whole. Line breaks in the text are kept. */
export function wrap(text: string, columns: number): readonly string[] {
  return text.split('\n').flatMap((line) => wrapLine(line.trimEnd(), Math.max(20, columns)));
}

function wrapLine(line: string, columns: number): readonly string[] {
  const lines: string[] = [];
  for (const word of line.split(' ')) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > columns) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}
