import type { RunEvent, StreamEvent, StreamOf } from '../../src/contracts/events.ts';

const AT = 1_764_460_000_000;

export const said = (text: string): RunEvent => ({ type: 'said', at: AT, turn: 1, text });

/** Of the first turn's model. */
export const streamOf = (stream: number, attempt = stream): StreamOf => ({
  call: 't1',
  turn: 1,
  attempt,
  stream,
  scheduledAt: stream,
});

export const piece = (delta: string, of: StreamOf = streamOf(1)): RunEvent => ({
  type: 'piece',
  at: AT,
  of: 'text',
  part: '0',
  delta,
  seq: 1,
  ...of,
});

export const reset = (of: StreamOf): RunEvent => ({ type: 'reset', at: AT, ...of });

/** As an attempt begins to answer: whoever answered before falls silent. */
export const beginStream =
  (attempt: number) =>
  (newest: StreamEvent | undefined): readonly RunEvent[] => [reset(streamOf((newest?.stream ?? 0) + 1, attempt))];
