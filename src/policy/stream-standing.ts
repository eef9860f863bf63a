import type { StreamEvent } from '../contracts/events.ts';

/** Where one attempt's stream stands among what is on record. `seq`: how many of its pieces are known to be there. */
export interface OwnStream {
  readonly call: string;
  /** Undefined before its first write. */
  readonly stream: number | undefined;
  readonly seq: number;
}

/**
 * What an attempt may write next.
 *
 * - `begins`: its first piece; `resets` where an earlier attempt of the call had shown something.
 * - `goes-on`; `written`: so many of the next pieces are there already, by a write whose answer was lost.
 * - `overtaken`: another attempt, or the next turn, has begun; nothing.
 */
export type Standing =
  | { readonly is: 'begins'; readonly stream: number; readonly resets: boolean }
  | { readonly is: 'goes-on'; readonly stream: number; readonly written: number }
  | { readonly is: 'overtaken' };

/** Judges by the newest piece or reset of the run: a later stream voids every earlier one. */
export function streamStanding({ call, stream, seq }: OwnStream, newest: StreamEvent | undefined): Standing {
  if (stream === undefined) {
    return newest?.call === call
      ? { is: 'begins', stream: newest.stream + 1, resets: true }
      : { is: 'begins', stream: 1, resets: false };
  }
  if (newest?.call !== call || newest.stream !== stream) return { is: 'overtaken' };
  return { is: 'goes-on', stream, written: newest.type === 'piece' ? newest.seq - seq : 0 };
}
