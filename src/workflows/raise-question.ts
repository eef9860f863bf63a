import { getExternalWorkflowHandle, log, workflowInfo } from '@temporalio/workflow';
import type { Question } from '../contracts/question.ts';
import { keepAlerting } from './keep-alerting.ts';
import { outcomeUnknownSignal } from './messages.ts';
import type { Run } from './run.ts';

/** Tells the event store, people, and of an outcome the parent or `escalateTo`. Nobody listening is no failure. */
export async function raiseQuestion(run: Run, question: Question): Promise<void> {
  const { id, tool, key, since, call, kind } = question;
  run.tell({ type: 'question-raised', at: since, question: id, call, kind, tool });
  keepAlerting(run, question);
  if (question.kind !== 'outcome') return;
  const listener = workflowInfo().parent?.workflowId ?? run.card?.escalateTo;
  if (listener === undefined || listener === '') return;
  const news = { runId: run.identity.run, question: id, tool, intent: key.intent, since };
  try {
    await getExternalWorkflowHandle(listener).signal(outcomeUnknownSignal, news);
  } catch (error) {
    log.warn('The unknown outcome could not be told to the parent or escalateTo.', { listener, error: String(error) });
  }
}
