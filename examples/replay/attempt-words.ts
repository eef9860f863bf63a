import { NAMES } from '../../src/contracts/telemetry-names.ts';
import { span as spanOf } from '../../src/cli/screens/times.ts';
import type { SpanRecord } from '../../src/testing/index.ts';

const OUTCOMES: Readonly<Record<string, string>> = {
  success: 'ok',
  failure: 'failed',
  cancelled: 'cancelled',
  parked: 'not sent',
  unknown: 'outcome unknown',
};

export const isAttempt = ({ name }: SpanRecord): boolean => name.startsWith('attempt ');

/** How an attempt ended: `ok`, `failed 503 overloaded`, `outcome unknown timeout`. */
export function attemptWords({ attributes, error }: SpanRecord): string {
  const outcome = OUTCOMES[String(attributes[NAMES.attemptOutcome])] ?? 'goes on';
  const answered = attributes[NAMES.errorStatus];
  // A 200 whose stream broke failed by something else.
  const status = Number(answered) < 400 ? undefined : answered;
  const why = error?.type === '_OTHER' ? attributes[NAMES.errorReason] : error?.type;
  return [outcome, status, why].filter((word) => word !== undefined).join(' ');
}

/** How long an attempt was waited for once the one before had ended: `waited 0.5 s`. Nothing where it followed at once. */
export function waitBefore(attempt: SpanRecord, before: SpanRecord | undefined): readonly string[] {
  const waitedMs = attempt.startMs - (before?.endMs ?? attempt.startMs);
  return waitedMs > 0 ? [`waited ${spanOf(waitedMs)}`] : [];
}
