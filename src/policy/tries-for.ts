import type { FailureReason } from '../contracts/failure.ts';
import type { FailedCall } from './failed-call.ts';
import { isPage } from './model-error-facts.ts';
import { MODEL_TIMES } from './model-times.ts';

const FEW: Readonly<Partial<Record<FailureReason, number>>> = { 'quota-day': 1, dns: 2, empty: 2 };

/**
 * Attempts of a model call, the first included, once one has failed like this. Few where repeating rarely helps: a name that does
 * not resolve, a peer that is no provider, a reply with nothing in it, a budget that may really be empty, a quota of the day.
 */
export function triesFor(reason: FailureReason, isAskedToWait: boolean, { links }: Pick<FailedCall, 'links'>): number {
  if (reason === 'in-flight-budget' && !isAskedToWait) return 2;
  const isNoProvider = links.some(
    ({ name, responseBody, statusCode }) =>
      name === 'HTTPParserError' || (statusCode === 200 && typeof responseBody === 'string' && isPage(responseBody)),
  );
  return isNoProvider ? 2 : (FEW[reason] ?? MODEL_TIMES.attempts);
}
