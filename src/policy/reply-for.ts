import type { DecideApproval } from '../contracts/messages.ts';
import type { RunnableCall } from '../contracts/plan.ts';
import type { Failure } from '../contracts/failure.ts';
import type { ModelReply } from '../contracts/model-reply.ts';
import type { Verdict } from './judge.ts';

/** What the model reads when its call ends without a result. Short, no stack, and true about what may have happened. */
export function replyForFailure(
  failure: Failure,
  verdict: Extract<Verdict, { is: 'tell-model' }>,
  now: number,
): ModelReply {
  const { message } = failure;
  const again = availableFrom(failure, now);
  if (verdict.mayHaveApplied) {
    return {
      status: verdict.status,
      message: `${message} It may have been applied; doing it again with the same arguments is harmless.`,
      retryable: true,
      ...again,
    };
  }
  const isLater = verdict.status === 'unavailable';
  return { status: verdict.status, message: `${message} Nothing was changed.`, retryable: isLater, ...again };
}

/** When it may be asked again, where that is known. */
function availableFrom({ waitMs }: Failure, now: number): Pick<ModelReply, 'availableAt'> {
  return waitMs === undefined ? {} : { availableAt: new Date(now + waitMs).toISOString() };
}

/** For a reading tool nothing can have been changed, so the message stands alone. */
export function replyForReader(
  failure: Failure,
  verdict: Extract<Verdict, { is: 'tell-model' }>,
  now: number,
): ModelReply {
  const retryable = verdict.status === 'unavailable';
  return { status: verdict.status, message: failure.message, retryable, ...availableFrom(failure, now) };
}

export const NOT_APPLIED =
  'This action had already been carried out with other arguments. The result below is of those; the new arguments were NOT applied.';

export const ALREADY_DONE =
  'This action had already been carried out; this is its recorded result. Nothing was sent again.';

/** For a call that was given up and provably did nothing. */
export function cancelledReply(): ModelReply {
  return { status: 'failed', message: 'Cancelled. Nothing was changed.', retryable: false };
}

/** For a call that somebody will not have made. */
export function deniedReply({ by, reason }: DecideApproval): ModelReply & { readonly message: string } {
  return { status: 'blocked', message: `Not approved by ${by}: ${reason}. Nothing was sent.`, retryable: false };
}

/** For a call whose run was stopped before anybody had answered: that is not a refusal. */
export function unansweredReply(): ModelReply {
  const message = 'It needed an approval, and nobody had answered when the run was stopped. Nothing was sent.';
  return { status: 'blocked', message, retryable: false };
}

/** What the model reads of a call whose arguments were not its own: it must know what was really done. */
export function editedReply(reply: ModelReply, { editedBy, input }: RunnableCall): ModelReply {
  if (editedBy === undefined) return reply;
  const shown = input.is === 'inline' ? JSON.stringify(input.value) : 'too long to be shown here';
  const message = `${editedBy} approved other arguments: ${shown.slice(0, 2_000)}.`;
  return { ...reply, message: reply.message === undefined ? message : `${message} ${reply.message}` };
}

/** For a call whose outcome is a question: the model goes on, the action stays locked. */
export function pendingReply(question: string): ModelReply {
  return {
    status: 'pending',
    message:
      'It may or may not have happened; this is being settled. Do not start the same action again: it is locked until then.',
    handle: question,
    retryable: false,
  };
}
