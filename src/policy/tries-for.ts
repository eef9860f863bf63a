import type { FailureReason, ModelFailure } from '../contracts/failure.ts';
import { MODEL_TIMES } from './model-times.ts';

const FEW: Readonly<Partial<Record<FailureReason, number>>> = { 'quota-day': 1, dns: 2, empty: 2 };

/**
 * Attempts of a model call, the first included, once one has failed like this. Few where repeating rarely helps: a name that does
 * not resolve, a reply with nothing in it, a budget that may really be empty, a quota of the day.
 */
export function triesFor({ reason, waitMs }: Pick<ModelFailure, 'reason' | 'waitMs'>): number {
  if (reason === 'in-flight-budget' && waitMs === undefined) return 2;
  return FEW[reason] ?? MODEL_TIMES.attempts;
}
