import type { RunView } from '../contracts/run.ts';
import { stateQuery } from '../workflows/messages.ts';
import type { ClientParts } from './client-parts.ts';

/** How long a worker may take to answer a question about a run. */
export const ANSWER_WITHIN_MS = 3_000;

/** What the run says of itself; undefined when no worker answers for it (none is up, or the run is paused by the server). */
export async function readState({ client, connection }: ClientParts, run: string): Promise<RunView | undefined> {
  try {
    return await connection.withDeadline(Date.now() + ANSWER_WITHIN_MS, () =>
      client.workflow.getHandle(run).query(stateQuery),
    );
  } catch {
    // The caller falls back on what the server and the stores know.
    return undefined;
  }
}
