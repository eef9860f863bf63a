/** Cuts a text into pieces of at most `size` characters, never inside one, as a model streams it. Empty text has no pieces. */
export function splitText(text: string, size: number): readonly string[] {
  const characters = Array.from(text);
  const pieces = Math.ceil(characters.length / size);
  return Array.from({ length: pieces }, (_, at) => characters.slice(at * size, (at + 1) * size).join(''));
}

/** How many characters a streamed piece holds, so that also short arguments come in several. */
export const PIECE_SIZE = 8;
