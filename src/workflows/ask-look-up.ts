import { ActivityFailure } from '@temporalio/workflow';
import type { Decision } from '../contracts/decision.ts';
import type { OutcomeQuestion } from '../contracts/question.ts';
import { RECORD_GRACE_MS } from '../policy/ledger-times.ts';
import { activities } from './proxies.ts';
import type { Run } from './run.ts';
import { ledgerView } from './run-facts.ts';
import { show } from './show.ts';
import { toolOf } from './tool-of.ts';

/** Asks the tool's own look-up, where it has one. What it says short of a decision is shown to people, and settles nothing. */
export async function askLookUp(run: Run, question: OutcomeQuestion): Promise<Decision | undefined> {
  const { confirms, timeoutMs } = toolOf(run, question.tool);
  if (!confirms) return undefined;
  const options = {
    summary: `${question.tool} · look-up`,
    startToCloseTimeout: timeoutMs + RECORD_GRACE_MS,
    retry: { maximumAttempts: 2 },
  };
  const request = { ...run.identity, question, ledger: ledgerView(run) };
  try {
    const confirmed = await run.during(activities.confirmOutcome.executeWithOptions(options, [request]));
    if (confirmed.is === 'settled') return confirmed.decision;
    noteLookUp(run, question, confirmed.said);
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error;
    // A look-up that is down is asked again on the next turn of the clock.
    noteLookUp(run, question, 'it could not be asked');
  }
  return undefined;
}

function noteLookUp(run: Run, { id }: OutcomeQuestion, said: string): void {
  const line = `Look-up: ${said} (${new Date(Date.now()).toISOString().slice(11, 19)} UTC).`;
  // It takes the place of what the look-up had said before: the last line.
  run.changeQuestion(id, (question) => ({ ...question, known: [...question.known.slice(0, -1), line] }));
  show(run);
}
