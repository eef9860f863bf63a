import { ActivityFailure } from '@temporalio/workflow';
import type { Question } from '../contracts/question.ts';
import { RECORD_GRACE_MS } from '../policy/ledger-times.ts';
import { activities } from './proxies.ts';
import type { Run } from './run.ts';
import { ledgerView } from './run-facts.ts';
import { show } from './show.ts';
import { toolOf } from './tool-of.ts';

/**
 * Asks the tool to call an action off of which sight was lost, where it can. Asked once: calling off is an effect too. What is
 * answered is shown to people, and settles nothing.
 */
export async function callOff(run: Run, question: Question): Promise<void> {
  if (question.kind !== 'outcome') return;
  const { cancels = false, timeoutMs } = toolOf(run, question.tool);
  if (!cancels) return;
  const options = {
    summary: `${question.tool} · call it off`,
    startToCloseTimeout: timeoutMs + RECORD_GRACE_MS,
    retry: { maximumAttempts: 1 },
  };
  const request = { ...run.identity, question, ledger: ledgerView(run) };
  const said = await run.during(activities.askCancel.executeWithOptions(options, [request])).catch((error: unknown) => {
    if (error instanceof ActivityFailure) return 'nobody knows whether it was asked';
    throw error;
  });
  // Before the look-up's line, which is the last and is replaced.
  run.changeQuestion(question.id, (open) => ({
    ...open,
    known: [...open.known.slice(0, -1), `Called off: ${said}.`, ...open.known.slice(-1)],
  }));
  show(run);
}
