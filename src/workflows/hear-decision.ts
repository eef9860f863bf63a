import { ApplicationFailure } from '@temporalio/workflow';
import type { ResolveOutcome } from '../contracts/messages.ts';
import { acceptDecision } from '../policy/accept-decision.ts';
import { assertNever } from '../policy/assert-never.ts';
import type { Run } from './run.ts';

/** The update's validator: throws what a person should read. An unknown question is refused here, a signal's is kept. */
export function refuseUnfitDecision(run: Run, message: ResolveOutcome): void {
  const acceptance = judgeDecision(run, message);
  if (acceptance.is === 'refused') throw refusal(acceptance.why);
  if (acceptance.is === 'early') throw unknownQuestion(run, message);
}

/** Takes a decision in; it never waits. Returns what its sender is told. */
export function hearDecision(run: Run, message: ResolveOutcome): string {
  const acceptance = judgeDecision(run, message);
  switch (acceptance.is) {
    case 'same':
      return STANDS_ALREADY;
    case 'refused':
      run.refuse(textOf(message, 'id'), textOf(message, 'question'), acceptance.why);
      return acceptance.why;
    case 'early':
    case 'accepted':
      run.takeBackRefusal(message.id, message.question);
      // Kept until its question takes it: the ledger has the last word.
      if (run.isNew(`${message.question}/${message.id}`)) run.inbox = [...run.inbox, message].slice(-MOST_KEPT);
      return ACCEPTED;
    default:
      return assertNever(acceptance);
  }
}

/** A decision already on its way counts as standing: the second one that differs is refused at once. */
function judgeDecision(run: Run, message: ResolveOutcome) {
  const { questions } = run;
  const needsMore = questions.some(({ id, need = 1 }) => id === message?.question && need > 1);
  // Where several people must agree, each is heard: the ledger keeps them apart.
  const onTheirWay = needsMore ? [] : run.inbox.map((one) => ({ ...one, settledBy: 'person' }) as const);
  return acceptDecision(message, { questions, decisions: [...run.decisions, ...onTheirWay], now: Date.now() });
}

export const STANDS_ALREADY = 'It stands already.';
export const ACCEPTED = 'Accepted. The run goes on as soon as the ledger has it.';

/** Decisions that wait for a question: whoever sends more than this sends nonsense. */
export const MOST_KEPT = 200;

export const refusal = (why: string) => ApplicationFailure.nonRetryable(why, 'DecisionRefused');

export function unknownQuestion(run: Run, message: unknown) {
  const open = run.questions.map(({ id }) => id).join(', ') || 'none';
  return ApplicationFailure.nonRetryable(
    `This run has no open question "${textOf(message, 'question')}". Open: ${open}.`,
    'UnknownQuestion',
  );
}

/** A field of whatever a signal carried, for people to read. */
export function textOf(message: unknown, field: 'id' | 'question'): string {
  const value =
    typeof message === 'object' && message !== null ? (message as Record<string, unknown>)[field] : undefined;
  return typeof value === 'string' ? value.slice(0, 100) : '?';
}
