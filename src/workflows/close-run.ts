import { condition } from '@temporalio/workflow';
import type { RunResult } from '../contracts/run.ts';
import { activities, untilItHolds } from './proxies.ts';
import type { Run } from './run.ts';
import { timeLeftMs } from './run-facts.ts';
import { show } from './show.ts';

export interface End {
  readonly status: RunResult['status'];
  readonly text: string;
}

const KEEPING = { ...untilItHolds, summary: 'answer · kept' };

/** Why no further turn may begin, or undefined when one may. */
export function endBefore(run: Run): End | undefined {
  const { abortedBy, stop, stopReason, turn, card } = run;
  if (abortedBy) return { status: 'stopped', text: `Aborted by ${abortedBy.by}: ${abortedBy.reason}` };
  if (stop) return { status: 'stopped', text: stopReason ? `Stopped: ${stopReason}` : 'Stopped.' };
  if (card && turn >= card.maxTurns) return { status: 'partial', text: `All ${card.maxTurns} turns are used up.` };
  if (timeLeftMs(run) === 0) return { status: 'partial', text: 'The deadline of the run has passed.' };
  return undefined;
}

/**
 * Delivers the answer, and closes the run once nothing is open. An answer with an open outcome is readable at once (status
 * `answered`); only a stop ends a run that still asks, and then says so.
 */
export async function closeRun(run: Run, end: End): Promise<RunResult> {
  run.answer = end.text;
  run.tell({ type: 'said', at: Date.now(), turn: run.turn, text: end.text });
  if (run.pending.length > 0) {
    run.status = 'answered';
    show(run);
    await condition(() => run.pending.length === 0);
  }
  const status = run.leftOpen.length > 0 ? 'stopped' : end.status;
  const result: RunResult = { status, text: end.text, open: run.leftOpen, spend: run.spend, taskId: run.identity.task };
  await run.during(activities.keepAnswer.executeWithOptions(KEEPING, [{ ...run.identity, result }]));
  run.status = status;
  show(run);
  return result;
}
