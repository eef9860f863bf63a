import type { Failure, ModelFailure } from '../contracts/failure.ts';

const PAYMENT_REQUIRED = 402;

/**
 * Does this failure say that the other side is in trouble? Server errors, overload, time-outs, the network and rate limits
 * do. Billing, bad requests, mistakes of the model and cancellations do not: the next caller may fare better.
 */
export function countsAgainst(failure: Failure | ModelFailure): boolean {
  const { kind, status } = failure;
  const isModels = 'class' in failure && failure.class === 'model-error';
  return (kind === 'transient' || kind === 'timed-out') && status !== PAYMENT_REQUIRED && !isModels;
}
