import type { Json } from './json.ts';

/** A value held in place, or, from 64 KB on, by reference into the transcript store (SHA-256 of its canonical JSON). */
export type Content =
  | { readonly is: 'inline'; readonly value: Json }
  | { readonly is: 'stored'; readonly ref: string; readonly sizeBytes: number };

export const inline = (value: Json): Content => ({ is: 'inline', value });

/**
 * From which size on a value of a turn travels by reference: 64 KB (Temporal warns at 256 KB a payload), and less where a turn
 * has many calls, since all of them meet again in one payload. Temporal refuses one of 2 MB, again and again.
 */
export function storedFromBytes(callsInTurn: number): number {
  return Math.floor(Math.min(64 * 1024, (512 * 1024) / Math.max(1, callsInTurn)));
}
