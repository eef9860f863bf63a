import type { RunResult } from '../contracts/run.ts';
import type { ActivityPorts } from './ports.ts';

/** How a run ended, as it was kept; null while it has not. For workflows that join a run somebody else started. */
export async function readAnswer(
  { events }: ActivityPorts,
  { run }: { readonly run: string },
): Promise<RunResult | null> {
  const ended = await events.newest(run, 'run-ended');
  return ended?.type === 'run-ended' ? ended.result : null;
}
