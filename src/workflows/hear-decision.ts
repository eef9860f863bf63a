import { ApplicationFailure } from '@temporalio/workflow';
import type { DecideApproval, ResolveOutcome } from '../contracts/messages.ts';
import { assertNever } from '../policy/assert-never.ts';
import { lengthOf } from '../policy/fault-of-decision.ts';
import { nameOfMessage } from '../policy/name-of-message.ts';
import type { Run } from './run.ts';

/** How decisions of one kind are taken in: judged by what is known now, and kept until their question takes them. */
export interface Hearing<Message> {
  judge(run: Run, message: Message): Judged;
  keep(run: Run, message: Message): void;
}

type Judged = { readonly is: 'accepted' | 'same' | 'early' } | { readonly is: 'refused'; readonly why: string };

/** Decisions that wait for a question: whoever sends more than this sends nonsense. */
const MOST_KEPT = 60;
/** Characters of one that comes before its question. */
const MOST_EARLY = 10_000;

/** The update's validator: throws what a person should read. An unknown question is refused here, a signal's is kept. */
export function refuseUnfit<Message>(hearing: Hearing<Message>, run: Run, message: Message): void {
  const judged = hearing.judge(run, message);
  if (judged.is === 'refused') throw ApplicationFailure.nonRetryable(judged.why, 'DecisionRefused');
  if (judged.is === 'early') throw unknownQuestion(run, message);
}

/** Takes a decision in; it never waits. Returns what its sender is told. */
export function hearDecision<Message extends ResolveOutcome | DecideApproval>(
  hearing: Hearing<Message>,
  run: Run,
  message: Message,
): string {
  const judged = hearing.judge(run, message);
  switch (judged.is) {
    case 'same':
      return 'It stands already.';
    case 'refused':
      run.refuse(textOf(message, 'id'), textOf(message, 'question'), judged.why);
      return judged.why;
    case 'early':
      return hasRoom(run, message) ? take(hearing, run, message) : refuseEarly(run, message);
    case 'accepted':
      return take(hearing, run, message);
    default:
      return assertNever(judged);
  }
}

function take<Message extends ResolveOutcome | DecideApproval>(
  hearing: Hearing<Message>,
  run: Run,
  message: Message,
): string {
  if (!run.isNew(nameOfMessage(message))) return 'It has been heard already.';
  run.takeBackRefusal(message.id, message.question);
  hearing.keep(run, message);
  return 'Accepted. The run goes on as soon as the ledger has it.';
}

/** What waits for a question is carried with the run, and a payload has an end. One that has been taken in is never dropped. */
function hasRoom({ inbox, approvals }: Run, message: object): boolean {
  return inbox.length + approvals.length < MOST_KEPT && lengthOf(message) <= MOST_EARLY;
}

function refuseEarly(run: Run, { id, question }: ResolveOutcome | DecideApproval): string {
  const why = `No question "${textOf({ question }, 'question')}" has been asked yet. Kept until it is are ${MOST_KEPT} decisions of up to ${MOST_EARLY} characters. Send it again when it is asked.`;
  run.refuse(id, question, why);
  return why;
}

function unknownQuestion(run: Run, message: unknown): ApplicationFailure {
  const open = run.questions.map(({ id }) => id).join(', ') || 'none';
  const why = `This run has no open question "${textOf(message, 'question')}". Open: ${open}.`;
  return ApplicationFailure.nonRetryable(why, 'UnknownQuestion');
}

/** A field of whatever a signal carried, for people to read. */
function textOf(message: unknown, field: 'id' | 'question'): string {
  const value =
    typeof message === 'object' && message !== null ? (message as Record<string, unknown>)[field] : undefined;
  return typeof value === 'string' ? value.slice(0, 100) : '?';
}
