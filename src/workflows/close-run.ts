import { condition } from '@temporalio/workflow';
import type { RunEnd, RunResult } from '../contracts/run.ts';
import { readKeptAnswer } from '../policy/read-bill.ts';
import { NO_BILLS, spentOf } from '../policy/run-bills.ts';
import { insist } from './insist.ts';
import { activities, untilItHolds } from './proxies.ts';
import type { Run } from './run.ts';
import { timeLeftMs } from './run-facts.ts';
import { lookForCosts } from './run-costs.ts';
import { show } from './show.ts';
import { tellsCosts } from './tells-costs.ts';

const KEEPING = { ...untilItHolds, summary: 'answer · kept' };

/** Why no further turn may begin, or undefined when one may. */
export function endBefore(run: Run): RunEnd | undefined {
  const { abortedBy, stop, stopReason, turn, card } = run;
  if (abortedBy) return { status: 'stopped', text: `Aborted by ${abortedBy.by}: ${abortedBy.reason}` };
  if (stop) return { status: 'stopped', text: stopReason ? `Stopped: ${stopReason}` : 'Stopped.' };
  if (card && turn >= card.maxTurns) return { status: 'partial', text: `All ${card.maxTurns} turns are used up.` };
  if (timeLeftMs(run) === 0) return { status: 'partial', text: 'The deadline of the run has passed.' };
  return undefined;
}

/**
 * Delivers the answer, and closes the run once nothing is open. An answer with an open outcome is readable at once (status
 * `answered`), and may wait for months: `long` asks to be continued as new. Only a stop ends a run that still asks, and says so.
 */
export async function closeRun(run: Run, end: RunEnd): Promise<RunResult | 'long'> {
  if (!run.end) run.tell({ type: 'said', at: Date.now(), turn: run.turn, text: end.text });
  run.end = end;
  if (run.pending.length > 0) {
    run.status = 'answered';
    show(run);
    await Promise.race([condition(() => run.pending.length === 0), run.untilLong()]);
    if (run.pending.length > 0) return 'long';
  }
  const status = run.leftOpen.length > 0 ? 'stopped' : end.status;
  const { identity, leftOpen, bills } = run;
  const result: RunResult = { status, text: end.text, open: leftOpen, ...spentOf(bills), taskId: identity.task };
  const ask = () => activities.keepAnswer.executeWithOptions(KEEPING, [{ ...identity, result }]);
  const kept = await insist(run, ask, () => true);
  const { bill, missing } = readKeptAnswer(kept);
  if (bill) run.bills = { ...NO_BILLS, settled: bill };
  const unasked = missing.filter((call) => !bills.open[call]?.isMissing);
  if (unasked.length > 0 && tellsCosts()) for (const call of unasked) await lookForCosts(run, call);
  run.status = status;
  show(run);
  return { ...result, ...spentOf(run.bills) };
}
