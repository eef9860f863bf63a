import type { RunEvent, StoredEvent } from '../contracts/events.ts';

/** How a reply came; what is left are the facts. */
export const PIECES: readonly RunEvent['type'][] = ['piece', 'reset'];

/** As `ReadOptions` has it. */
export const READ_LIMIT = 1_000;

/** As a table holds it: JSON has escapes for NUL and halves of surrogate pairs, which columns do not take. */
export const toText = (event: RunEvent): string => JSON.stringify(event);

export const toStoredEvent = ({ offset, event }: Readonly<Record<string, unknown>>): StoredEvent => ({
  // Typed by hand: only `toText` wrote it.
  ...(JSON.parse(String(event)) as RunEvent),
  offset: Number(offset),
});
