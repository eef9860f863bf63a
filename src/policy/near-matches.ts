const MOST = 3;

/** Up to three known names that a mistyped one may stand for, the likeliest first. */
export function nearMatches(typed: string, known: readonly string[]): readonly string[] {
  const wanted = typed.toLowerCase();
  return [...new Set(known)]
    .map((name) => ({ name, far: distance(wanted, name.toLowerCase()) }))
    .filter(({ far }) => far <= Math.max(1, Math.floor(wanted.length / 3)))
    .sort((a, b) => a.far - b.far)
    .slice(0, MOST)
    .map(({ name }) => name);
}

/** ` Did you mean …?`, or nothing. */
export function didYouMean(typed: string, known: readonly string[]): string {
  const near = nearMatches(typed, known);
  return near.length === 0 ? '' : ` Did you mean ${near.map((name) => `"${name}"`).join(' or ')}?`;
}

/** 0 when one is part of the other (people leave out prefixes); else single-letter changes, neighbours swapped counting as one. */
function distance(a: string, b: string): number {
  if (a.length >= 3 && (b.includes(a) || a.includes(b))) return 0;
  const rows = [Array.from({ length: b.length + 1 }, (_, at) => at)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const change = Math.min(at(rows, i - 1, j) + 1, at([row], 0, j - 1) + 1, at(rows, i - 1, j - 1) + cost);
      row.push(swapped ? Math.min(change, at(rows, i - 2, j - 2) + 1) : change);
    }
    rows.push(row);
  }
  return at(rows, a.length, b.length);
}

const at = (rows: readonly (readonly number[])[], i: number, j: number): number => rows[i]?.[j] ?? 0;
