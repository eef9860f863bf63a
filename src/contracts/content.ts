import type { Json } from './json.ts';

/** A value held in place, or, from 64 KB on, by reference into the transcript store (SHA-256 of its canonical JSON). */
export type Content =
  | { readonly is: 'inline'; readonly value: Json }
  | { readonly is: 'stored'; readonly ref: string; readonly sizeBytes: number };

export const inline = (value: Json): Content => ({ is: 'inline', value });

/** Where content stops travelling through history and starts to be a reference. Temporal warns at 256 KB a payload. */
export const STORED_FROM_BYTES = 64 * 1024;
