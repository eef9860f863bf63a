import type { CallBill } from '../contracts/bill.ts';
import type { Usage } from '../contracts/events.ts';
import type { CostFound } from '../contracts/messages.ts';
import { readCallBill } from '../policy/read-bill.ts';
import { closeBill, closeUntold, correctBill } from '../policy/run-bills.ts';
import { beginCostLookUp } from './cost-look-up.ts';
import type { Run } from './run.ts';
import { show } from './show.ts';
import { tellsCosts } from './tells-costs.ts';

/**
 * Adds what a call has cost that is over. Returns whether its provider has to be asked for what is missing: then begin it with
 * `lookForCosts`. No await of its own: where nothing is missing, the order in which a run's commands come must stay.
 */
export function addCost(run: Run, call: string, bill: CallBill | undefined, usage?: Usage): boolean {
  const isMissing = bill !== undefined && bill.isMissing && tellsCosts();
  // Open is a bill whose provider is asked.
  run.bills = bill ? closeBill(run.bills, call, { ...bill, isMissing }) : closeUntold(run.bills, call, usage);
  return isMissing;
}

/** Begins to ask the provider of a call what is missing of its costs. That outlives the run. Never rejects. */
export async function lookForCosts({ identity, card }: Run, call: string): Promise<void> {
  const { run, execution } = identity;
  await beginCostLookUp({ run, execution, call, ...(card?.costPace && { pace: card.costPace }) });
}

/** News of what a call has cost. That of a run that had this id before is none. */
export function hearCost(run: Run, found: Partial<CostFound> | undefined): void {
  const bill = readCallBill(found?.bill);
  if (!bill || found?.call === undefined || found.execution !== run.identity.execution) return;
  const corrected = correctBill(run.bills, found.call, bill);
  if (corrected === run.bills) return;
  run.bills = corrected;
  show(run);
}
