import type { RetryBudget } from '../contracts/retry-budget.ts';
import { tallyAttempt, tallyWait, whyNoRetry } from '../policy/spend-retries.ts';
import type { Attempt } from './attempt.ts';

/** The wait that would follow a failed attempt. `isAsked`: the server named it. */
export interface NextWait {
  readonly waitMs: number;
  readonly isAsked: boolean;
}

/** Has the run nothing left to repeat this call with? */
export function isBudgetSpent(attempt: Attempt, wait: NextWait, budget: RetryBudget): boolean {
  const used = tallyAttempt(attempt.before, attempt.tookMs());
  return whyNoRetry(used, wait, { attempts: Infinity, totalMs: Infinity, budget }) !== undefined;
}

/** Notes what a failed attempt has used, with the wait that follows it, for whoever makes the next one. */
export function noteUsed(attempt: Attempt, wait?: NextWait): void {
  const used = tallyAttempt(attempt.before, attempt.tookMs());
  attempt.carry(wait ? tallyWait(used, wait) : used);
}

/** Notes that an attempt succeeded: a repetition, where it was one, whose time was well spent. */
export function noteSuccess(attempt: Attempt): void {
  attempt.carry(tallyAttempt(attempt.before, 0));
}
