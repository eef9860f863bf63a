import { AllTargetsFailed } from '../contracts/middleware.ts';
import { readErrorFacts } from '../policy/error-facts.ts';

/** One error for all causes. A single cause is itself: nothing is hidden behind a wrapper. */
export function joinCauses(causes: readonly unknown[]): unknown {
  if (causes.length === 1) return causes[0];
  const said = causes.map((cause) => readErrorFacts(cause).message).join(' · ');
  return new AllTargetsFailed(causes, `Each of ${causes.length} requests failed: ${said}`);
}
