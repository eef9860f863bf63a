import type { Decision } from '../contracts/decision.ts';
import type { OutcomeQuestion } from '../contracts/question.ts';
import type { Run } from './run.ts';

/** A person ends the run over a question. The rest of it is stopped, honestly; the effect stays open in the ledger. */
export function abortRun(run: Run, question: OutcomeQuestion, decision: Decision): void {
  run.abortedBy = decision;
  run.leftOpen = [...run.leftOpen, question];
  run.requestStop('now', `aborted by ${decision.by}: ${decision.reason}`);
}
