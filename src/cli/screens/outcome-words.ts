import type { RequestOutcome, RunEvent } from '../../contracts/events.ts';

/** How an attempt ended. */
export const ATTEMPT_WORDS: Readonly<Record<Extract<RunEvent, { type: 'attempt-ended' }>['outcome'], string>> = {
  success: 'ok',
  failure: 'failed',
  cancelled: 'cancelled',
  unknown: 'outcome unknown',
  parked: 'not sent',
};

/** How a request to a model ended. */
export const REQUEST_WORDS: Readonly<Record<RequestOutcome, string>> = {
  whole: 'answered',
  broken: 'failed',
  cut: 'broke off',
  'lost-hedge': 'another model was faster',
  left: 'no longer waited for',
};
