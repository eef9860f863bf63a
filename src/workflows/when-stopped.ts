import { condition } from '@temporalio/workflow';
import type { Run } from './run.ts';

/** Resolves when somebody stops the run: `now` only for those who will not wait, `safe` for either. */
export async function whenStopped(run: Run, mode: 'safe' | 'now'): Promise<void> {
  await condition(() => run.stop === 'now' || (mode === 'safe' && run.stop !== null));
}
