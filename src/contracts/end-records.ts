import type { RunEvent } from './events.ts';

/** Writes what nobody could tell a second time: how a request or an attempt ended, and what it used. */
export interface EndRecords {
  /** Resolves after the first try. Where that failed, others follow in the background. Never rejects. */
  write(run: string, event: RunEvent): Promise<void>;
  /** Resolves when all first tries of a run are over, after 5 s at the latest. Never rejects. */
  tried(run: string): Promise<void>;
  /** What was told of a run and is not on record yet. Each of it may be on record in a moment, too. */
  pending(run: string): readonly RunEvent[];
}
