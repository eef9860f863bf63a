import { ApplicationFailure } from '@temporalio/common';
import type { LedgerView } from '../contracts/agent-card.ts';
import type { Ledger } from '../contracts/ledger.ts';
import type { ActivityPorts } from './ports.ts';

/**
 * Says why this worker's ledger is not the run's, or undefined when it is. Another id is another ledger; a lower counter is
 * the same one rolled back: both have forgotten effects, so nothing may be sent by them.
 */
export async function foreignLedger(ledger: Ledger, task: string, view: LedgerView): Promise<string | undefined> {
  const id = await ledger.id();
  if (id !== view.id) {
    return `This worker's ledger is ${id}, the run belongs to ledger ${view.id}. Nothing is sent. Point the worker at the run's ledger (HOLDFAST_LEDGER).`;
  }
  const counter = await ledger.counter(task);
  if (counter < view.counter) {
    return `Ledger ${id} ends at record ${counter} of task ${task}, the run has seen record ${view.counter}: it was rolled back. Nothing is sent. Restore the newer ledger.`;
  }
  return undefined;
}

/** Retried: the right ledger may come back. The Web UI shows the message while it does not. */
export async function refuseForeign(ports: ActivityPorts, task: string, view: LedgerView): Promise<void> {
  const foreign = await foreignLedger(ports.ledger, task, view);
  if (foreign) throw ApplicationFailure.create({ type: 'ForeignLedger', message: foreign });
}
