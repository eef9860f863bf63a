import type { RetryBudget } from '../contracts/retry-budget.ts';
import { RETRY_BUDGET, takeBack } from '../policy/spend-retries.ts';
import type { Run } from './run.ts';

const startOf = ({ card }: Run): RetryBudget => card?.retryBudget ?? RETRY_BUDGET;
const leftOf = (run: Run): RetryBudget => run.retryBudget ?? startOf(run);

/**
 * Hands a call its part of what the run may still spend on repeating. Calls of one turn share what is left, so that all of them
 * together stay within it. Give the part back with `returnBudget`.
 */
export function handBudget(run: Run, most: number, sharers = 1): RetryBudget {
  const left = leftOf(run);
  const part = {
    retries: Math.min(most, Math.ceil(Math.floor(left.retries) / sharers)),
    ms: Math.floor(left.ms / sharers),
  };
  run.retryBudget = { retries: left.retries - part.retries, ms: left.ms - part.ms };
  return part;
}

/** A call is over: what it used is gone, the rest comes back, and one that succeeded gives something besides. */
export function returnBudget(
  run: Run,
  part: RetryBudget,
  used: RetryBudget | undefined,
  how: 'succeeded' | 'failed',
): void {
  const left = leftOf(run);
  const whole = { retries: left.retries + part.retries, ms: left.ms + part.ms };
  const spent = used ?? { retries: 0, ms: 0 };
  run.retryBudget = takeBack(whole, spent, { start: startOf(run), succeeded: how === 'succeeded' });
}
