import type { Question } from '../contracts/question.ts';
import { abortRun } from './abort-run.ts';
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
  if (answer.is === 'left-open') run.leftOpen = [...run.leftOpen, question];
  if (answer.is === 'decided' && answer.decision.verdict === 'abort') abortRun(run, question, answer.decision);
  run.pending = run.pending.filter(({ id }) => id !== question.id);
  show(run);
}
