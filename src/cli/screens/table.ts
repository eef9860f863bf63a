import { stripVTControlCharacters } from 'node:util';

type Rows = readonly (readonly string[])[];

/** Columns as wide as their widest cell, two spaces apart, colours not counted; the last column is as long as it is. */
export function table(rows: Rows, indent = ''): string {
  const widths = columnWidths(rows);
  const draw = (row: readonly string[]) => row.map((cell, at) => pad(cell, widths[at] ?? 0)).join('  ');
  return rows.map((row) => (indent + draw(row)).trimEnd()).join('\n');
}

/** The width of each column's widest cell. */
export function columnWidths(rows: Rows): readonly number[] {
  const count = Math.max(0, ...rows.map((row) => row.length));
  return Array.from({ length: count }, (_, at) => Math.max(0, ...rows.map((row) => visibleLength(row[at] ?? ''))));
}

const pad = (cell: string, width: number): string => cell + ' '.repeat(Math.max(0, width - visibleLength(cell)));

const visibleLength = (text: string): number => stripVTControlCharacters(text).length;
