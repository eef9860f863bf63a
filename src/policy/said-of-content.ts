import type { FailureReason } from '../contracts/failure.ts';
import { classOfReason } from './class-of-reason.ts';
import type { FailedCall } from './failed-call.ts';
import { reasonsOfWords } from './provider-words.ts';
import { reasonOfStatus } from './status-reasons.ts';

/** What a provider said, as those read it who look for money, length and policy in it. */
export interface SaidOfContent {
  readonly words: readonly string[];
  readonly messages: readonly string[];
  /** The messages in which words alone may decide: none where a code or a status has said what it is. */
  readonly loose: readonly string[];
}

/**
 * Words of money, length and policy also stand in messages that are about something else ("rate limit for long context requests").
 * Where a code, or a status of a rate, a server or a key, names the failure, only phrases count that mean one thing.
 */
export function readSaidOfContent({ said, status }: FailedCall): SaidOfContent {
  const { words, messages, statuses } = said;
  const isCoded = reasonsOfWords(words).some((reason) => reason !== 'bad-request');
  const told = status !== undefined && status >= 400 ? [status] : statuses;
  const isTold = told.map(reasonOfStatus).some((reason) => reason !== undefined && isFirm(reason));
  return { words, messages, loose: isCoded || isTold ? [] : messages };
}

const isFirm = (reason: FailureReason): boolean => reason === 'auth' || classOfReason(reason) !== 'permanent';
