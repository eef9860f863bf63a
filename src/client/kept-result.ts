import type { RunResult } from '../contracts/run.ts';
import type { ClientParts } from './client-parts.ts';

/** How the run last ended, as the event store has it; undefined when it has not, or the store has forgotten. */
export async function keptResult({ events }: Pick<ClientParts, 'events'>, run: string): Promise<RunResult | undefined> {
  const ended = await events.newest(run, 'run-ended');
  return ended?.type === 'run-ended' ? ended.result : undefined;
}
