import { setTimeout as sleep } from 'node:timers/promises';

/** How far runs have come: of each that has events, the offset of the last. */
export type LookAtHeads = (runs: readonly string[]) => Promise<ReadonlyMap<string, number>>;

/** As `EventStore.untilAfter`. */
export type AwaitEvents = (run: string, after: number, signal: AbortSignal) => Promise<void>;

interface Waiter {
  readonly run: string;
  readonly after: number;
  readonly since: number;
  readonly wake: () => void;
  readonly fail: (error: unknown) => void;
}

/** How often it is looked. */
export interface Pace {
  /** Between two looks while something happened not long ago. */
  readonly livelyMs: number;
  /** Between two looks else: a run that waits for a person may be watched for days. */
  readonly quietMs: number;
  /** How long nothing may happen before it is looked less often. */
  readonly livelyForMs: number;
}

/** A piece of a reply is to be seen within 50 ms of its being sent; looking takes a few. */
const PACE: Pace = Object.freeze({ livelyMs: 20, quietMs: 200, livelyForMs: 30_000 });

/**
 * Lets any number of readers wait for events of other processes and machines by looking again and again: one look serves all who
 * wait, and nobody looks when nobody waits. Not by notifications of the database: in PostgreSQL they make all writers that
 * notify commit one after the other, and through a pooler they do not come.
 */
export function awaitEvents(look: LookAtHeads, pace: Pace = PACE): AwaitEvents {
  const waiters = new Set<Waiter>();
  let isLooking = false;

  async function wakeThose(asked: readonly Waiter[]): Promise<void> {
    const heads = await look([...new Set(asked.map(({ run }) => run))]);
    for (const { run, after, wake } of asked) if ((heads.get(run) ?? 0) > after) wake();
  }

  async function keepLooking(): Promise<void> {
    if (isLooking) return;
    isLooking = true;
    try {
      let lookedAt = -Infinity;
      while (waiters.size > 0) {
        const now = performance.now();
        if (now - lookedAt >= pace.quietMs || isLively(waiters, now, pace)) {
          lookedAt = now;
          await wakeThose([...waiters]);
        }
        await sleep(pace.livelyMs);
      }
    } catch (error) {
      for (const { fail } of waiters) fail(error);
    } finally {
      isLooking = false;
    }
  }

  return async (run, after, signal) => {
    if (signal.aborted) return;
    const { promise, resolve, reject } = Promise.withResolvers<undefined>();
    const wake = () => resolve(undefined);
    const waiter: Waiter = { run, after, since: performance.now(), wake, fail: reject };
    waiters.add(waiter);
    signal.addEventListener('abort', wake, { once: true });
    void keepLooking();
    try {
      await promise;
    } finally {
      waiters.delete(waiter);
      signal.removeEventListener('abort', wake);
    }
  };
}

/** Somebody has not waited for long: something happened a moment ago. */
const isLively = (waiters: ReadonlySet<Waiter>, now: number, { livelyForMs }: Pace): boolean =>
  [...waiters].some(({ since }) => now - since < livelyForMs);
