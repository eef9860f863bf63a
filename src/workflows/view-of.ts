import type { Question } from '../contracts/question.ts';
import type { RunStatus, RunView, WaitingFor } from '../contracts/run.ts';
import { spentOf } from '../policy/run-bills.ts';
import type { Run } from './run.ts';

/** The run as people and programs see it. Pure over the run's state. */
export function viewOf(run: Run): RunView {
  const { identity, card, turn, startedAt, questions, refused, views, bills, end, inbox, approvals } = run;
  return {
    run: identity.run,
    agent: identity.agent,
    version: card?.version ?? '',
    model: card?.model ?? '',
    taskId: identity.task,
    status: statusOf(run),
    turn,
    startedAt,
    waitingFor: waitingFor(run),
    questions,
    refused,
    calls: views,
    ...spentOf(bills),
    underWay: [...inbox, ...approvals].map(({ id }) => id),
    awaited: [...inbox, ...approvals]
      .map(({ question }) => question)
      .filter((id) => !questions.some((open) => open.id === id)),
    ...(end && { answer: end.text }),
  };
}

/** A run that works on is running; one with a call that asks waits; one that has answered and still asks has answered. */
function statusOf({ status, calls }: Run): RunStatus {
  const isAsking = calls.some(({ progress }) => progress.is === 'asking');
  return status === 'running' && isAsking ? 'waiting' : status;
}

/** What the run waits for, as the search attribute names it. */
export function waitingFor(run: Run): readonly WaitingFor[] {
  const isAsked = (kind: Question['kind']) => run.questions.some((question) => question.kind === kind);
  const isSleeping = run.calls.some(({ progress }) => progress.is === 'sleeping');
  return [
    ...(['outcome', 'approval'] as const).filter(isAsked),
    ...(run.waitsForProvider ? (['provider'] as const) : []),
    ...(isSleeping ? (['timer'] as const) : []),
  ];
}
