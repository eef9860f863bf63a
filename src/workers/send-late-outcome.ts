import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import type { LateOutcome } from '../contracts/messages.ts';
import { lateOutcomeSignal } from '../workflows/messages.ts';

const TRIES = 5;
const WAIT_MS = 2_000;

/**
 * Tells a run that the ledger has news, whichever execution of it is current. A run that has closed needs none. Should all
 * tries fail, the run finds the news by itself: it asks the ledger on a timer.
 */
export async function sendLateOutcome(client: Client, run: string, news: LateOutcome): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await client.workflow.getHandle(run).signal(lateOutcomeSignal, news);
      return;
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return;
      if (tries >= TRIES) throw error;
      await new Promise((resolve) => setTimeout(resolve, WAIT_MS * tries));
    }
  }
}
