import { AttemptTimeout } from '../contracts/attempt-timeout.ts';
import type { ModelFailure } from '../contracts/failure.ts';
import { IncompleteReply } from '../contracts/incomplete-reply.ts';
import { ReplyTooLong } from '../contracts/reply-too-long.ts';
import { classifyModelError, type ModelMoment } from './classify-model-error.ts';
import { BrokenAnswer } from './judge-answer.ts';
import { readUsage } from './read-usage.ts';

/** Names a model's error; one that our own deadline made is told apart from the run's, and says which deadline it was. */
export function nameAttemptError(error: unknown, moment: Omit<ModelMoment, 'attempt'>): ModelFailure {
  if (error instanceof IncompleteReply) return classifyModelError(brokenOf(error), moment);
  const carried = carriedBy(error);
  if (carried instanceof AttemptTimeout) {
    const failure = classifyModelError(error, { ...moment, attempt: { aborted: true, reason: carried } });
    return failure.kind === 'timed-out' ? { ...failure, message: `The model gave ${carried.message}.` } : failure;
  }
  const failure = classifyModelError(error, moment);
  if (!(carried instanceof ReplyTooLong) || failure.kind === 'cancelled') return failure;
  return {
    ...failure,
    kind: 'permanent',
    class: 'permanent',
    reason: 'too-large',
    retry: false,
    message: carried.message,
  };
}

const carriedBy = (error: unknown): unknown => (error instanceof BrokenAnswer ? error.facts.error : error);

/** An answer with nothing in it is judged as one that was read to its end. */
function brokenOf({ finish, headers }: IncompleteReply): BrokenAnswer {
  const nothing = { streamed: true, begun: false, text: '', calls: [], open: [], isKept: false };
  return new BrokenAnswer({ ...nothing, headers, finish: finish?.finishReason, usage: readUsage(finish?.usage) });
}
