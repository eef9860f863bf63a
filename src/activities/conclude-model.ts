import { Context } from '@temporalio/activity';
import type { CallBill } from '../contracts/bill.ts';
import type { ModelEnd } from '../contracts/envelope.ts';
import type { ModelFailure } from '../contracts/failure.ts';
import type { ModelRequest } from '../contracts/requests.ts';
import type { CallTally } from '../contracts/retry-budget.ts';
import { askedAuthor } from '../policy/asked-author.ts';
import { backoffOf } from '../policy/backoff-of.ts';
import { asSentence } from '../policy/as-sentence.ts';
import { MODEL_BACKOFF, retryWaitMs, WAIT_CAP_MS } from '../policy/backoff.ts';
import { classifyAttempt, readParking, wasSent } from '../policy/classify-attempt.ts';
import { MODEL_TIMES } from '../policy/model-times.ts';
import { nameAttemptError } from '../policy/name-attempt-error.ts';
import { tallyAttempt, tallyWait, whyNoRetry, type NoRetry } from '../policy/spend-retries.ts';
import type { Attempt } from './attempt.ts';
import { billCall } from './bill-calls.ts';
import { findAgent } from './find-tool.ts';
import type { ActivityPorts } from './ports.ts';
import { finalFailure, retryFailure } from './throw-verdict.ts';

export interface BrokenAttempt {
  readonly attempt: Attempt;
  readonly error: unknown;
}

/** Names what went wrong with an attempt of a model call, and returns what it should throw: again, parked, or the end. */
export async function concludeModel(
  ports: ActivityPorts,
  request: ModelRequest,
  { attempt, error }: BrokenAttempt,
): Promise<unknown> {
  const caller = Context.current().cancellationSignal;
  const agent = findAgent(ports.agents, request.agent);
  const moment = { now: ports.now(), caller, secrets: ports.knownSecrets };
  const classify = (cause: unknown) => askedAuthor(nameAttemptError(cause, moment), cause, agent?.classify);
  const failure = classifyAttempt(error, classify);
  if (caller.aborted) {
    await attempt.end({ outcome: 'cancelled', failure });
    return caller.reason ?? error;
  }
  const parkMs = readParking(error, classify);
  if (parkMs !== undefined) return park(ports, request, { attempt, failure, parkMs, wasSent: wasSent(error) });
  const used = tallyAttempt(attempt.before, attempt.tookMs());
  const waitMs = retryWaitMs(
    backoffOf(agent?.backoff, MODEL_BACKOFF, 'backoff'),
    used.sent,
    failure.waitMs,
    ports.dice(),
  );
  const wait = { waitMs, isAsked: failure.waitMs !== undefined };
  const why = whyFinal(request, failure, used, wait);
  attempt.carry(why === undefined ? tallyWait(used, wait) : used);
  const bill = why === undefined ? undefined : await billCall(ports, request);
  await attempt.end({ outcome: 'failure', failure, ...(why === undefined ? { nextWaitMs: waitMs } : {}) });
  ports.logFor({ run: request.run, turn: request.turn, attempt: used.sent }).warn(failure.message, {
    reason: failure.reason,
    ...(why === undefined ? { delayMs: waitMs, maxAttempts: request.maxAttempts } : { final: why }),
  });
  if (why === undefined) {
    const again = { is: 'again', waitMs, why: failure.message } as const;
    return retryFailure('ModelRetry', failure.message, attempt.envelope, again);
  }
  const done = { attempt, bill };
  if (why === 'asked-to-wait') return endSchedule('ModelWaits', done, { is: why, waitMs, why: failure.message });
  return endSchedule('ModelFailed', done, {
    is: 'failed',
    why: WORDS[why] ? `${asSentence(failure.message)} ${WORDS[why]}` : failure.message,
  });
}

function whyFinal(
  { maxAttempts, budget }: ModelRequest,
  failure: ModelFailure,
  used: CallTally,
  wait: { readonly waitMs: number; readonly isAsked: boolean },
): NoRetry | 'asked-to-wait' | undefined {
  if (failure.kind === 'permanent' || failure.kind === 'cancelled') return 'permanent';
  const attempts = Math.min(maxAttempts, failure.tries);
  // A day's quota is over for this worker, and comes back all the same. The run waits for it, not the call: only the time is free.
  if (failure.overCap && wait.isAsked && wait.waitMs > WAIT_CAP_MS) {
    return whyNoRetry(used, wait, { attempts: maxAttempts, totalMs: Infinity, budget }) ?? 'asked-to-wait';
  }
  return whyNoRetry(used, wait, { attempts, totalMs: MODEL_TIMES.totalMs, budget });
}

const WORDS: Readonly<Record<NoRetry, string>> = {
  permanent: '',
  attempts: 'It is not tried again: all attempts are used up.',
  time: `It is not tried again: the ${MODEL_TIMES.totalMs / 60_000} min of the whole call are used up.`,
  budget: 'It is not tried again: the run has spent what it may spend on repeating (limits.retries, limits.retryTime).',
};

interface Parked {
  readonly attempt: Attempt;
  readonly failure: ModelFailure;
  readonly parkMs: number;
  readonly wasSent: boolean;
}

/**
 * The provider is given a pause. The workflow is told once, so that people see it; from then on the server brings the call back,
 * which costs no history and no slot.
 */
async function park(
  ports: ActivityPorts,
  request: ModelRequest,
  { attempt, failure, parkMs, wasSent: isProbe }: Parked,
): Promise<unknown> {
  const { run, turn, tally: known } = request;
  attempt.carry({ ...attempt.before, parked: true });
  const bill = known.parked ? undefined : await billCall(ports, request);
  await attempt.end({ outcome: isProbe ? 'failure' : 'parked', failure, nextWaitMs: parkMs });
  ports.logFor({ run, turn, attempt: attempt.number }).info('The call is parked.', { delayMs: parkMs });
  const why = failure.message;
  return known.parked
    ? retryFailure('ModelParked', why, attempt.envelope, { is: 'again', waitMs: parkMs, why })
    : endSchedule('ModelParked', { attempt, bill }, { is: 'parked', waitMs: parkMs, why });
}

interface DoneAttempt {
  readonly attempt: Attempt;
  /** What the call has cost so far. */
  readonly bill: CallBill | undefined;
}

function endSchedule(
  type: 'ModelParked' | 'ModelWaits' | 'ModelFailed',
  { attempt, bill }: DoneAttempt,
  end: ModelEnd,
): unknown {
  return finalFailure(type, end.why, { ...attempt.envelope, end, ...(bill && { bill }) });
}
