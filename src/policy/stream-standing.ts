import type { StreamEvent } from '../contracts/events.ts';

/** Where one attempt's stream stands among what is on record. `seq`: how many of its pieces are known to be there. */
export interface OwnStream {
  readonly turn: number;
  readonly scheduledAt: number;
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
 * - `overtaken`: an attempt that was scheduled later, of this turn or another, has begun; nothing, also where this one has shown
 *   nothing yet: its worker may have stood still.
 */
export type Standing =
  | { readonly is: 'begins'; readonly stream: number; readonly resets: boolean }
  | { readonly is: 'goes-on'; readonly stream: number; readonly written: number }
  | { readonly is: 'overtaken' };

/** Judges by the newest piece or reset of the run: the streams of a run are numbered, and only the last one is alive. */
export function streamStanding(own: OwnStream, newest: StreamEvent | undefined): Standing {
  const { turn, scheduledAt, stream, seq } = own;
  if (stream === undefined) {
    if (newest && newest.scheduledAt > scheduledAt) return { is: 'overtaken' };
    return { is: 'begins', stream: (newest?.stream ?? 0) + 1, resets: newest !== undefined && newest.turn >= turn };
  }
  // A store that was lost begins anew, and so does what is shown.
  if (!newest) return { is: 'begins', stream: stream + 1, resets: true };
  if (newest.stream !== stream) return { is: 'overtaken' };
  return { is: 'goes-on', stream, written: newest.type === 'piece' ? newest.seq - seq : 0 };
}
