import type { RunHandle } from '../client/run-handle.ts';

/** How a run ended that never said so itself: it failed as a workflow, or an operator ended it. */
export async function readOutsideEnd(handle: RunHandle): Promise<{ readonly status: string; readonly text: string }> {
  const row = await handle.describe();
  const ending = await handle.result().catch((error: unknown) => error);
  const text = ending instanceof Error ? ending.message : ((ending as { text?: string }).text ?? '');
  return { status: row?.status ?? 'gone', text };
}
