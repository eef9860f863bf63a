import type { Question } from '../contracts/question.ts';
import type { Run } from './run.ts';
import { settleQuestion } from './settle-question.ts';
import { show } from './show.ts';

/** Keeps a question open beside the run's further turns, until it is settled. Its intent stays locked so long. */
export function keepPending(run: Run, question: Question): void {
  run.pending = [...run.pending.filter(({ id }) => id !== question.id), question];
  void watch(run, question);
}

async function watch(run: Run, question: Question): Promise<void> {
  const answer = await settleQuestion(run, question, 0, () => undefined);
  const isLeftOpen = answer.is === 'left-open' || (answer.is === 'decided' && answer.decision.verdict === 'abort');
  if (isLeftOpen) run.leftOpen = [...run.leftOpen, question];
  if (answer.is === 'decided' && answer.decision.verdict === 'abort') run.abortedBy = answer.decision;
  run.pending = run.pending.filter(({ id }) => id !== question.id);
  show(run);
}
