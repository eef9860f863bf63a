import type { EndRecords } from '../contracts/end-records.ts';
import type { EventStore } from '../contracts/event-store.ts';
import type { RunEvent } from '../contracts/events.ts';

export interface EndRecordParts {
  readonly events: Pick<EventStore, 'append'>;
  /** Resolves after so many milliseconds. */
  readonly pause: (ms: number) => Promise<void>;
  /** What could not be written, and is not tried again. */
  readonly onLost: (error: unknown, run: string) => void;
}

interface Pending {
  readonly run: string;
  readonly event: RunEvent;
  readonly first: Promise<unknown>;
}

/** After each of these another try: half a minute, beside what the store itself waits for its locks. */
const PAUSES_MS: readonly number[] = [500, 1_000, 2_000, 4_000, 8_000, 16_000];

/** A reply is not held up for longer. */
const MOST_WAIT_MS = 5_000;

/** Keeps what could not be written, and tries again for half a minute and a little. */
export function keepEnds({ events, pause, onLost }: EndRecordParts): EndRecords {
  const pending = new Set<Pending>();
  const ofRun = (run: string) => [...pending].filter((one) => one.run === run);
  const settle = async (one: Pending): Promise<void> => {
    let trouble = await one.first;
    for (const ms of PAUSES_MS) {
      if (trouble === undefined) break;
      await pause(ms);
      trouble = await troubleOf(events.append(one.run, [one.event]));
    }
    pending.delete(one);
    if (trouble !== undefined) onLost(trouble, one.run);
  };
  return {
    async write(run, event) {
      const one = { run, event, first: troubleOf(events.append(run, [event])) };
      pending.add(one);
      void settle(one);
      await one.first;
    },
    async tried(run) {
      await Promise.race([Promise.all(ofRun(run).map(({ first }) => first)), pause(MOST_WAIT_MS)]);
    },
    pending: (run) => ofRun(run).map(({ event }) => event),
  };
}

/** Undefined: it was written. */
const troubleOf = (written: Promise<number>): Promise<unknown> =>
  written.then(
    () => undefined,
    (error: unknown) => error ?? new Error('The event store failed without a word.'),
  );
