import { AttemptTimeout } from '../contracts/attempt-timeout.ts';
import type { ModelFailure } from '../contracts/failure.ts';
import { classifyModelError, type ModelMoment } from './classify-model-error.ts';
import { BrokenAnswer } from './judge-answer.ts';

/** Names a model's error; one that our own deadline made is told apart from the run's, and says which deadline it was. */
export function nameAttemptError(error: unknown, moment: Omit<ModelMoment, 'attempt'>): ModelFailure {
  const timeout = ownTimeout(error);
  if (!timeout) return classifyModelError(error, moment);
  const failure = classifyModelError(error, { ...moment, attempt: { aborted: true, reason: timeout } });
  return failure.kind === 'timed-out' ? { ...failure, message: `The model gave ${timeout.message}.` } : failure;
}

function ownTimeout(error: unknown): AttemptTimeout | undefined {
  if (error instanceof AttemptTimeout) return error;
  return error instanceof BrokenAnswer ? ownTimeout(error.facts.error) : undefined;
}
