import { setImmediate, setTimeout } from 'node:timers/promises';
import { isPassing } from './sqlite-trouble.ts';

/**
 * Tries until it works, fails for good, or `deadline` (of `performance.now()`) is over; once at least. Between two tries
 * the event loop is free.
 */
export async function tryUntil<T>(deadline: number, attempt: () => T): Promise<T> {
  for (;;) {
    // Many calls in a row must leave room for timers: each of them may wait for the disk.
    await setImmediate();
    try {
      return attempt();
    } catch (error) {
      const leftMs = deadline - performance.now();
      if (!isPassing(error) || leftMs <= 0) throw error;
      await setTimeout(Math.min(leftMs, pollMs(Math.random())));
    }
  }
}

/** Spread, so that waiting processes do not knock at the same moment; not growing, so that the oldest is not at a loss. */
const pollMs = (dice: number) => 1 + 5 * dice;
