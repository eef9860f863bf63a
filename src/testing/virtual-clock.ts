import type { Clock } from '../contracts/clock.ts';
import { seededDice } from './seeded-dice.ts';

/** A clock that stands still until it is told to go on. */
export interface VirtualClock extends Clock {
  /**
   * Lets time pass until the task has settled, from one timer to the next, and gives what it gives.
   * @throws Error when the task waits for something that is not a timer of this clock.
   */
  run<T>(task: Promise<T>): Promise<T>;
  /** Lets `ms` pass, and everything happen that falls due. */
  advance(ms: number): Promise<void>;
}

interface Timer {
  readonly at: number;
  readonly ring: () => void;
}

/** Time for tests: hours pass in no time, in the same order each time. `seed` decides the dice. Default 1. */
export function createVirtualClock({ seed = 1 }: { readonly seed?: number } = {}): VirtualClock {
  let now = 0;
  let timers: readonly Timer[] = [];

  function wait(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      if (ms <= 0) {
        resolve();
        return;
      }
      const stop = () => {
        timers = timers.filter((other) => other !== timer);
        reject(signal?.reason as Error);
      };
      const ring = () => {
        signal?.removeEventListener('abort', stop);
        resolve();
      };
      const timer = { at: now + ms, ring };
      timers = [...timers, timer];
      signal?.addEventListener('abort', stop, { once: true });
    });
  }

  /** The earliest timer up to `until` rings; of several at one moment, the one that was set first. */
  function ringNext(until: number): boolean {
    const at = Math.min(...timers.map((timer) => timer.at));
    const next = timers.find((timer) => timer.at === at);
    if (!next || at > until) return false;
    timers = timers.filter((timer) => timer !== next);
    now = next.at;
    next.ring();
    return true;
  }

  return {
    now: () => now,
    wait,
    dice: seededDice(seed),
    async run<T>(task: Promise<T>): Promise<T> {
      let hasSettled = false;
      const settle = () => {
        hasSettled = true;
      };
      task.then(settle, settle);
      await letThingsHappen();
      while (!hasSettled && ringNext(Infinity)) await letThingsHappen();
      if (!hasSettled) throw new Error(`At ${now} ms nothing is left that will happen, and the task has not ended.`);
      return task;
    },
    async advance(ms: number) {
      const until = now + ms;
      await letThingsHappen();
      while (ringNext(until)) await letThingsHappen();
      now = until;
    },
  };
}

/** All promises that can settle, do. */
const letThingsHappen = () => new Promise<void>((resolve) => void setImmediate(resolve));
