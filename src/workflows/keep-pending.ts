import type { OutcomeQuestion } from '../contracts/question.ts';
import { settledReply } from '../policy/settled-reply.ts';
import { abortRun } from './abort-run.ts';
import type { Run } from './run.ts';
import { settleQuestion, type Answer } from './settle-question.ts';
import { show } from './show.ts';

/** Keeps a question open beside the run's further turns, until it is settled. Its intent stays locked so long. */
export function keepPending(run: Run, question: OutcomeQuestion): void {
  run.pending = [...run.pending.filter(({ id }) => id !== question.id), question];
  void watch(run, question);
}

async function watch(run: Run, question: OutcomeQuestion): Promise<void> {
  const answer = await settleQuestion(run, question, 0, () => undefined);
  if (answer.is === 'left-open') run.leftOpen = [...run.leftOpen, question];
  if (answer.is === 'decided' && answer.decision.verdict === 'abort') abortRun(run, question, answer.decision);
  keepAnswer(run, question, answer);
  run.pending = run.pending.filter(({ id }) => id !== question.id);
  show(run);
}

function keepAnswer(run: Run, { id }: OutcomeQuestion, answer: Answer): void {
  if (answer.is === 'left-open') return;
  const settled = settledReply(answer.is === 'news' ? answer.progress : answer.decision);
  if (settled) run.keepSettled({ question: id, ...settled });
}
