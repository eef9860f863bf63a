import { Context } from '@temporalio/activity';
import type { LanguageModelV4Message } from '@ai-sdk/provider';
import type { CallBill } from '../contracts/bill.ts';
import type { ModelEnd } from '../contracts/envelope.ts';
import type { Usage } from '../contracts/events.ts';
import type { ModelFailure } from '../contracts/failure.ts';
import type { ModelRequest } from '../contracts/requests.ts';
import type { CallTally } from '../contracts/retry-budget.ts';
import { askedAuthor } from '../policy/asked-author.ts';
import { backoffOf } from '../policy/backoff-of.ts';
import { asSentence } from '../policy/as-sentence.ts';
import { MODEL_BACKOFF, retryWaitMs, WAIT_CAP_MS } from '../policy/backoff.ts';
import { classifyAttempt, readParking, wasSent } from '../policy/classify-attempt.ts';
import { RUN_DEFAULTS } from '../policy/define-agent.ts';
import { BrokenAnswer } from '../policy/judge-answer.ts';
import { MODEL_TIMES } from '../policy/model-times.ts';
import { nameAttemptError } from '../policy/name-attempt-error.ts';
import { readUsage } from '../policy/read-usage.ts';
import { retellTo } from '../policy/retell.ts';
import { tallyAttempt, tallyWait, whyNoRetry, type NoRetry } from '../policy/spend-retries.ts';
import type { Attempt } from './attempt.ts';
import { billCall } from './bill-calls.ts';
import { findAgent } from './find-tool.ts';
import type { ActivityPorts } from './ports.ts';
import { finalFailure, retryFailure } from './throw-verdict.ts';

export interface BrokenAttempt {
  readonly attempt: Attempt;
  readonly error: unknown;
  /** The conversation it was asked with. */
  readonly before: readonly LanguageModelV4Message[];
}

/** What follows a broken attempt. `throw`: again, parked, or the end. `retell`: the model is told what was wrong with its reply. */
export type Conclusion =
  | { readonly is: 'throw'; readonly error: unknown }
  | {
      readonly is: 'retell';
      readonly message: LanguageModelV4Message;
      readonly used: CallTally;
      readonly usage: Usage;
      readonly bill: CallBill | undefined;
    };

/** Names what went wrong with an attempt of a model call, and says what follows. */
export async function concludeModel(
  ports: ActivityPorts,
  request: ModelRequest,
  { attempt, error, before }: BrokenAttempt,
): Promise<Conclusion> {
  const caller = Context.current().cancellationSignal;
  const agent = findAgent(ports.agents, request.agent);
  const moment = { now: ports.now(), caller, secrets: ports.knownSecrets };
  const classify = (cause: unknown) => askedAuthor(nameAttemptError(cause, moment), cause, agent?.classify);
  const failure = classifyAttempt(error, classify);
  if (caller.aborted) {
    await attempt.end({ outcome: 'cancelled', failure });
    return { is: 'throw', error: caller.reason ?? error };
  }
  const parkMs = readParking(error, classify);
  if (parkMs !== undefined) {
    return { is: 'throw', error: await park(ports, request, { attempt, failure, parkMs, wasSent: wasSent(error) }) };
  }
  const used = tallyAttempt(attempt.before, attempt.tookMs());
  const waitMs = retryWaitMs(
    backoffOf(agent?.backoff, MODEL_BACKOFF, 'backoff'),
    used.sent,
    failure.waitMs,
    ports.dice(),
  );
  const wait = { waitMs, isAsked: failure.waitMs !== undefined };
  const final = whyFinal(request, failure, used, wait);
  const isModels = failure.class === 'model-error' || final === 'attempts';
  const most = agent?.limits?.equalFailures ?? RUN_DEFAULTS.equalFailures;
  const message = isModels ? retellTo(before, failure.reason, most) : undefined;
  const why = message ? 'retold' : final;
  attempt.carry(why === undefined ? tallyWait(used, wait) : used);
  const bill = why === undefined ? undefined : await billCall(ports, request);
  await attempt.end({ outcome: 'failure', failure, ...(why === undefined ? { nextWaitMs: waitMs } : {}) });
  ports.logFor({ run: request.run, turn: request.turn, attempt: used.sent }).warn(failure.message, {
    reason: failure.reason,
    ...(why === undefined ? { delayMs: waitMs, maxAttempts: request.maxAttempts } : { final: why }),
  });
  if (message) return { is: 'retell', message, used, usage: usageOf(error), bill };
  return { is: 'throw', error: failureOf({ attempt, bill }, { failure, why: final, waitMs, error }) };
}

/** What the workflow, or Temporal, is told of an attempt that failed. */
function failureOf(
  done: DoneAttempt,
  {
    failure: { message, reason },
    why,
    waitMs,
    error,
  }: {
    readonly failure: ModelFailure;
    readonly why: NoRetry | 'asked-to-wait' | undefined;
    readonly waitMs: number;
    readonly error: unknown;
  },
) {
  if (why === undefined)
    return retryFailure('ModelRetry', message, done.attempt.envelope, { is: 'again', waitMs, why: message });
  if (why === 'asked-to-wait') return endSchedule('ModelWaits', done, { is: why, waitMs, why: message });
  const words = [WORDS[why], ...wordsOfModel(error, reason)].filter((sentence) => sentence !== '');
  return endSchedule('ModelFailed', done, {
    is: 'failed',
    why: words.length > 0 ? `${asSentence(message)} ${words.join(' ')}` : message,
  });
}

const MOST_WORDS = 4_000;

/** A model that will not has mostly said why: that goes to whoever reads the result, and into no log. */
function wordsOfModel(error: unknown, reason: ModelFailure['reason']): readonly string[] {
  const text = error instanceof BrokenAnswer ? error.facts.text.toWellFormed().trim() : '';
  const isNo = reason === 'refusal' || reason === 'content-filter';
  return isNo && text !== '' ? [`It said: ${text.slice(0, MOST_WORDS)}`] : [];
}

const usageOf = (error: unknown): Usage => (error instanceof BrokenAnswer ? error.facts.usage : readUsage(undefined));

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
