import { setTimeout } from 'node:timers/promises';
import { CommitInDoubt } from './postgres-transaction.ts';
import { OutOfTime, PostgresTrouble } from './postgres-trouble.ts';

/** Tries until it works, fails for good, or `deadline` (of `performance.now()`) is over; once at least. */
export async function tryUntil<T>(deadline: number, attempt: () => Promise<T>): Promise<T> {
  let doubt: PostgresTrouble | undefined;
  let earlier: PostgresTrouble | undefined;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof PostgresTrouble)) throw error;
      if (error instanceof CommitInDoubt) doubt = error;
      const pauseMs = pauseFor(Math.random());
      if (!(error instanceof OutOfTime)) earlier = error;
      // Why the last attempt failed says less than that one before it may have written.
      if (!error.passes || performance.now() + pauseMs > deadline) throw doubt ?? earlier ?? error;
      await setTimeout(pauseMs);
    }
  }
}

/** Spread, so that workers that lost their server together do not come back at the same moment. */
const pauseFor = (dice: number) => 20 + 80 * dice;
