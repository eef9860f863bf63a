import { ApplicationFailure } from '@temporalio/common';
import type { CallVerdict, Envelope } from '../contracts/envelope.ts';

/** Failure types as the Web UI and the retry policy see them. */
export type FailureType =
  | 'OutcomeUnknown'
  | 'ToolFailed'
  | 'ToolUnavailable'
  | 'ToolRetry'
  | 'KeyHeld'
  | 'Withdrawn'
  | 'LedgerUnavailable'
  | 'ForeignLedger'
  | 'ModelRetry'
  | 'ModelParked'
  | 'ModelWaits'
  | 'ModelFailed';

/** Ends the schedule: Temporal does not retry, the workflow reads the verdict from the details. */
export function finalFailure(type: FailureType, message: string, envelope: Envelope): ApplicationFailure {
  return withoutStack(ApplicationFailure.create({ type, message, nonRetryable: true, details: [envelope] }));
}

/**
 * Ends the attempt: Temporal retries after `waitMs`. The details say the same to the workflow, for when Temporal has no
 * attempt left and the ledger still allows one.
 */
export function retryFailure(
  type: FailureType,
  message: string,
  envelope: Envelope,
  verdict: Extract<CallVerdict, { is: 'again' }>,
): ApplicationFailure {
  const details = [{ ...envelope, verdict }];
  const nextRetryDelay = Math.max(1, verdict.waitMs);
  return withoutStack(ApplicationFailure.create({ type, message, nextRetryDelay, details }));
}

/** A verdict is news, not a bug: frames of ours in history and Web UI would only hide the message. */
function withoutStack(failure: ApplicationFailure): ApplicationFailure {
  failure.stack = '';
  return failure;
}
