import type { DecideApproval } from '../contracts/messages.ts';
import { acceptApproval } from '../policy/accept-approval.ts';
import { assertNever } from '../policy/assert-never.ts';
import { ACCEPTED, MOST_KEPT, refusal, STANDS_ALREADY, textOf, unknownQuestion } from './hear-decision.ts';
import type { Run } from './run.ts';

/** The update's validator: throws what a person should read. An unknown question is refused here, a signal's is kept. */
export function refuseUnfitApproval(run: Run, message: DecideApproval): void {
  const acceptance = judge(run, message);
  if (acceptance.is === 'refused') throw refusal(acceptance.why);
  if (acceptance.is === 'early') throw unknownQuestion(run, message);
}

/** Takes a person's word on a call in; it never waits. Returns what its sender is told. */
export function hearApproval(run: Run, message: DecideApproval): string {
  const acceptance = judge(run, message);
  switch (acceptance.is) {
    case 'same':
      return STANDS_ALREADY;
    case 'refused':
      run.refuse(textOf(message, 'id'), textOf(message, 'question'), acceptance.why);
      return acceptance.why;
    case 'early':
    case 'accepted':
      run.takeBackRefusal(message.id, message.question);
      if (run.isNew(`${message.question}/${message.id}`)) run.approvals = [...run.approvals, message].slice(-MOST_KEPT);
      return ACCEPTED;
    default:
      return assertNever(acceptance);
  }
}

function judge({ questions, approvals }: Run, message: DecideApproval) {
  return acceptApproval(message, { questions, heard: approvals });
}
