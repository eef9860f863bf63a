import type { StreamEvent } from '../contracts/events.ts';

/** Where one attempt's stream stands among what is on record. `seq`: how many of its pieces are known to be there. */
export interface OwnStream {
  readonly turn: number;
  /** Undefined before its first write. */
  readonly stream: number | undefined;
  readonly seq: number;
}

/**
 * What an attempt may write next.
 *
 * - `begins`: its first piece; `resets` where an earlier attempt of the call had shown something, or a later turn that an operator has
 *   taken the run back before.
 * - `goes-on`; `written`: so many of the next pieces are there already, by a write whose answer was lost.
 * - `overtaken`: another attempt, or the next turn, has begun; nothing.
 */
export type Standing =
  | { readonly is: 'begins'; readonly stream: number; readonly resets: boolean }
  | { readonly is: 'goes-on'; readonly stream: number; readonly written: number }
  | { readonly is: 'overtaken' };

/** Judges by the newest piece or reset of the run: the streams of a run are numbered, and only the last one is alive. */
export function streamStanding({ turn, stream, seq }: OwnStream, newest: StreamEvent | undefined): Standing {
  if (stream === undefined) {
    return { is: 'begins', stream: (newest?.stream ?? 0) + 1, resets: newest !== undefined && newest.turn >= turn };
  }
  if (newest?.stream !== stream) return { is: 'overtaken' };
  return { is: 'goes-on', stream, written: newest.type === 'piece' ? newest.seq - seq : 0 };
}
