import { ActivityFailure, log, sleep } from '@temporalio/workflow';
import type { Run } from './run.ts';

const AGAIN_MS = 5_000;

/**
 * Repeats an activity until it has answered. Temporal retries it by itself; what it cannot undo is an operator who fails or
 * completes it by hand, and nothing may go on without its answer. `isAnswer` tells the activity's own word from another's.
 */
export async function insist<T>(run: Run, ask: () => Promise<T>, isAnswer: (value: T) => boolean): Promise<T> {
  for (;;) {
    try {
      const value = await run.during(ask());
      if (isAnswer(value)) return value;
      log.warn('An activity was completed from outside; it is asked again.');
    } catch (error) {
      if (!(error instanceof ActivityFailure)) throw error;
      log.warn('An activity was ended from outside; it is asked again.', { error: String(error.cause ?? error) });
    }
    await sleep(AGAIN_MS, { summary: 'asking again' });
  }
}

/** Most answers are unions by `is`. */
export const isUnion = (value: unknown): boolean => typeof (value as { is?: unknown } | null)?.is === 'string';
