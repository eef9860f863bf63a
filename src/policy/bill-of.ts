import type { FailureReason, ModelFailure, ModelFailureClass } from '../contracts/failure.ts';
import type { FailedCall, Named } from './failed-call.ts';
import { hasOutput, isMetered } from './judge-answer.ts';
import { isPage } from './model-error-facts.ts';

/** Statuses with which the provider itself, in its own words, says that it did not do the work. */
const UNBILLED = [500, 503, 529];

/** Said of an answer: it was generated, whatever it is worth. */
const GENERATED: readonly FailureReason[] = ['empty', 'content-filter', 'refusal', 'tool-input', 'tool-unknown'];

/**
 * Does a failed attempt cost anything? Never guesses `no`: only what was not sent, and what the provider refused in its own
 * words, is free.
 */
export function billOf(named: Named, call: FailedCall, cls: ModelFailureClass): ModelFailure['billed'] {
  const { answer, status, streamed } = call;
  const { reason } = named;
  if (named.sent === 'no') return 'no';
  if (cls === 'cancelled') return 'unknown';
  if (cls !== 'transient' && isRefused(call)) return 'no';
  if (answer && isMetered(answer)) return 'yes';
  if (GENERATED.includes(reason)) return 'yes';
  if (reason === 'bad-response') return hasBody(call) ? 'yes' : 'unknown';
  if (reason === 'truncated') return answer && !answer.isKept && hasOutput(answer) ? 'yes' : 'unknown';
  // A peer that does not speak HTTP is no provider.
  if (reason === 'network' && named.sent === 'yes' && status === undefined && !answer) return 'no';
  // An answer in one piece begins when all of it is there.
  const isGenerated = (reason === 'network' || reason === 'timeout') && !streamed && isSuccess(status);
  if (isGenerated) return 'yes';
  return isUnbilled(call) ? 'no' : 'unknown';
}

const isSuccess = (status: number | undefined): boolean => status !== undefined && status < 300;

/** Refused before anything was generated. */
function isRefused({ answer, status = 0, said }: FailedCall): boolean {
  return !answer?.begun && said.isNamed && status >= 400 && status < 500 && status !== 408;
}

function isUnbilled({ answer, status = 0, said }: FailedCall): boolean {
  return !answer?.begun && said.isNamed && UNBILLED.includes(status);
}

/** Something of the body came: unreadable, but generated. */
function hasBody({ answer, links }: FailedCall): boolean {
  if (answer?.begun) return true;
  const body = links.map(({ responseBody }) => responseBody).find((text) => typeof text === 'string');
  return body !== undefined
    ? body !== '' && !isPage(body)
    : links.some(({ code }) => typeof code === 'string' && code.startsWith('Z_'));
}
