import type { Clock } from '../contracts/clock.ts';

/** Node's timers end at once when asked for more. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Real time, which the setting of the machine's clock cannot change, and real dice. */
export const systemClock: Clock = Object.freeze({
  now: () => performance.now(),
  wait: async (ms: number, signal?: AbortSignal) => {
    for (let left = ms; left > 0; left -= LONGEST_TIMER_MS) await sleep(Math.min(left, LONGEST_TIMER_MS), signal);
    signal?.throwIfAborted();
  },
  dice: () => Math.random(),
});

function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });
}
