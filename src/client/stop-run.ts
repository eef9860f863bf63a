import { WorkflowUpdateRPCTimeoutOrCancelledError } from '@temporalio/client';
import type { Stop } from '../contracts/messages.ts';
import { stopSignal, stopUpdate } from '../workflows/messages.ts';
import type { ClientParts } from './client-parts.ts';
import { ANSWER_WITHIN_MS } from './read-state.ts';

/**
 * Asks a run to stop and returns its answer. With no worker there to give one, the wish is left with the server as a signal
 * under the same id: the run counts it once, when it is back.
 */
export async function stopRun({ client, connection }: ClientParts, run: string, message: Stop): Promise<string> {
  const handle = client.workflow.getHandle(run);
  const update = () => handle.executeUpdate(stopUpdate, { args: [message], updateId: message.id });
  try {
    return await connection.withDeadline(Date.now() + ANSWER_WITHIN_MS, update);
  } catch (error) {
    if (!(error instanceof WorkflowUpdateRPCTimeoutOrCancelledError)) throw error;
    await handle.signal(stopSignal, message);
    return 'No worker answers for the run now: it stops as soon as one is back.';
  }
}
