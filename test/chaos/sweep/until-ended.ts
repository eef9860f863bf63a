import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkflowHandle } from '@temporalio/client';

const LOOK_AGAIN_MS = 400;

/** Resolves when the run has ended, or `signal` fires. A server that is away, or does not know it yet, is asked again. */
export async function untilEnded(handle: WorkflowHandle, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const status = await handle.describe().then(
      (run) => run.status.name,
      () => 'RUNNING',
    );
    if (status !== 'RUNNING') return;
    await sleep(LOOK_AGAIN_MS);
  }
}
