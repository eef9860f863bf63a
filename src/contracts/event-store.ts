import type { RunEvent, StoredEvent, StreamEvent } from './events.ts';

/** Which events are read. */
export interface ReadOptions {
  /** At most so many. Default 1,000. */
  readonly limit?: number;
  /** Leaves pieces and resets out: what happened, without how the replies came. Default: all. */
  readonly only?: 'facts';
}

/** Append-only sequence of events per run, outside history. */
export interface EventStore {
  /** Appends and returns the offset of the last event. */
  append(run: string, events: readonly RunEvent[]): Promise<number>;
  /**
   * Appends what `decide` makes of the run's newest piece or reset, in one transaction: nobody writes to the run between. It may be
   * called more than once. Returns the offset of the run's last event.
   */
  appendPieces(run: string, decide: (newest: StreamEvent | undefined) => readonly RunEvent[]): Promise<number>;
  /** Events with an offset greater than `after`, in order. */
  read(run: string, after: number, options?: ReadOptions): Promise<readonly StoredEvent[]>;
  /** The offset of the run's last event; 0 when it has none. */
  head(run: string): Promise<number>;
  /** The newest event of a type; undefined when the run has none. */
  newest(run: string, type: RunEvent['type']): Promise<StoredEvent | undefined>;
  /**
   * Resolves when the run has an event after this offset, whichever process or machine wrote it, or when `signal` fires. Late by 50 ms
   * at most where something happened in the last half minute, else by 250 ms. Any number may wait. Rejects as `read` does.
   */
  untilAfter(run: string, after: number, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}
