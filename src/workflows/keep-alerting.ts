import { ActivityFailure, condition, log } from '@temporalio/workflow';
import type { Question } from '../contracts/question.ts';
import type { AlertReason } from '../contracts/requests.ts';
import { activities } from './proxies.ts';
import type { Run } from './run.ts';

const ORDER: readonly AlertReason[] = ['asked', 'reminder', 'escalation'];

/** A webhook that is down is tried again for an hour; the next alert comes in its own time. */
const DELIVERY = {
  startToCloseTimeout: '15s',
  scheduleToCloseTimeout: '1h',
  retry: { initialInterval: '1s', maximumInterval: '1m', backoffCoefficient: 2 },
} as const;

/** Tells people of an open question: at once, once more after a time, and somebody else after another. Where configured. */
export function keepAlerting(run: Run, question: Question): void {
  if (run.card?.alerts) void alertInTurn(run, question);
}

async function alertInTurn(run: Run, question: Question): Promise<void> {
  const isSettled = () => !run.questions.some(({ id }) => id === question.id);
  for (const { reason, afterMs } of alertsDue(run, question)) {
    const waitMs = question.since + afterMs - Date.now();
    if (waitMs > 0) await condition(isSettled, waitMs, { summary: `${question.tool} · ${reason}` });
    if (isSettled()) break;
    await alertOnce(run, question, reason);
  }
  if (isSettled()) forget(run, question);
}

/** What is still to be told, and when, counted from when the question was asked. */
function alertsDue({ card, alerted }: Run, { id }: Question) {
  const { remindMs, escalateMs } = card?.alerts ?? { remindMs: undefined, escalateMs: undefined };
  const afterMs = { asked: 0, reminder: remindMs, escalation: escalateMs };
  const told = ORDER.indexOf(alerted[id] ?? 'asked') + (id in alerted ? 1 : 0);
  return ORDER.slice(told).flatMap((reason) =>
    afterMs[reason] === undefined ? [] : [{ reason, afterMs: afterMs[reason] }],
  );
}

async function alertOnce(run: Run, question: Question, reason: AlertReason): Promise<void> {
  const options = { ...DELIVERY, summary: `${question.tool} · tell people (${reason})` };
  try {
    const request = { ...run.identity, question, reason };
    await run.during(activities.alertPeople.executeWithOptions(options, [request]));
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error;
    log.warn('People could not be told of a question.', { question: question.id, error: String(error.cause) });
  }
  run.alerted = { ...run.alerted, [question.id]: reason };
}

function forget(run: Run, { id }: Question): void {
  run.alerted = Object.fromEntries(Object.entries(run.alerted).filter(([known]) => known !== id));
}
