import { WorkflowNotFoundError, WorkflowUpdateFailedError } from '@temporalio/client';
import type { DecideApproval } from '../contracts/messages.ts';
import { decideApprovalSignal, decideApprovalUpdate } from '../workflows/messages.ts';
import { awaitVerdict } from './await-verdict.ts';
import type { ClientParts } from './client-parts.ts';
import { updateIdOf } from './update-id.ts';
import { sayVerdict, type SettleResult } from './settle.ts';

/** Gives a person's word to the run that waits for it, and waits for what became of it. */
export async function decideApproval(parts: ClientParts, run: string, message: DecideApproval): Promise<SettleResult> {
  try {
    const handle = parts.client.workflow.getHandle(run);
    const said = await handle.executeUpdate(decideApprovalUpdate, { args: [message], updateId: updateIdOf(message) });
    const { question, id: decision, by } = message;
    return sayVerdict(await awaitVerdict(parts, { run, question, decision, by }), said);
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return refuseClosed(run);
    if (!(error instanceof WorkflowUpdateFailedError)) throw error;
    return { is: 'refused', why: error.cause?.message ?? error.message };
  }
}

/** Leaves a word with the server as a signal, for a run that no worker answers for: it is judged when one is back. */
export async function leaveWithServer(
  { client }: ClientParts,
  run: string,
  message: DecideApproval,
): Promise<SettleResult> {
  try {
    await client.workflow.getHandle(run).signal(decideApprovalSignal, message);
  } catch (error) {
    // It was open a moment ago.
    if (error instanceof WorkflowNotFoundError) return refuseClosed(run);
    throw error;
  }
  const text =
    'No worker answers for the run now. The word is kept with the server, and counts as soon as one is back.';
  return { is: 'kept', message: text };
}

const refuseClosed = (run: string): SettleResult => {
  return { is: 'refused', why: `Run ${run} is closed: nothing waits for this word any more.` };
};
