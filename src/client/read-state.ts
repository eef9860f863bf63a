import { isGrpcServiceError } from '@temporalio/client';
import type { RunView } from '../contracts/run.ts';
import { stateQuery } from '../workflows/messages.ts';
import type { ClientParts } from './client-parts.ts';

/** How long a worker may take to answer a question about a run. */
export const ANSWER_WITHIN_MS = 3_000;

const AGAIN_MS = 100;

/** What the run says of itself; undefined when no worker answers for it (none is up, or the run is paused by the server). */
export async function readState({ client, connection }: ClientParts, run: string): Promise<RunView | undefined> {
  const until = Date.now() + ANSWER_WITHIN_MS;
  for (;;) {
    try {
      return await connection.withDeadline(until, () => client.workflow.getHandle(run).query(stateQuery));
    } catch (error) {
      // The caller falls back on what the server and the stores know.
      if (!isCrowded(error) || Date.now() + AGAIN_MS >= until) return undefined;
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS * (1 + 2 * Math.random())));
    }
  }
}

/** The server holds few questions about one run at a time; that says nothing of its worker. gRPC's RESOURCE_EXHAUSTED. */
function isCrowded(error: unknown): boolean {
  const inner = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return [error, inner].some((one) => isGrpcServiceError(one) && (one.code as number) === RESOURCE_EXHAUSTED);
}

const RESOURCE_EXHAUSTED = 8;
