import type { FailureKind, FailureReason, ModelFailure, ModelFailureClass } from '../contracts/failure.ts';
import { asSentence } from './as-sentence.ts';
import { LONGEST_ASKED_MS, readAskedWait, type AskedWait, type Header } from './asked-wait.ts';
import { WAIT_CAP_MS } from './backoff.ts';
import { billOf } from './bill-of.ts';
import { classOfReason } from './class-of-reason.ts';
import { readErrorFacts } from './error-facts.ts';
import type { FailedCall, Named } from './failed-call.ts';
import { BrokenAnswer, judgeAnswer } from './judge-answer.ts';
import { firstNumber, isRecord, linksOf, type Link } from './model-error-facts.ts';
import { nameError } from './name-model-error.ts';
import { readProviderError } from './read-provider-error.ts';
import { readReset } from './read-reset.ts';
import { readTransportFault } from './transport-codes.ts';
import { triesFor } from './tries-for.ts';

/** The part of an `AbortSignal` that tells who ended a call. */
export interface Ended {
  readonly aborted: boolean;
  readonly reason?: unknown;
}

export interface ModelMoment {
  /** Epoch milliseconds: dates that the answer names are judged by it. */
  readonly now: number;
  /** The run's wish to end the call. It wins over everything. */
  readonly caller?: Ended;
  /** Our own deadline of this attempt. */
  readonly attempt?: Ended;
  /** False: it had ended before the model was asked. */
  readonly isAsked?: boolean;
  /** The answer was asked for in one piece. Default: streamed. */
  readonly inOnePiece?: boolean;
  /** Keys the model is asked with: a provider may echo one that it refuses. */
  readonly secrets?: readonly string[];
}

/**
 * Names the failure of a model attempt. Asks in order: the run's cancellation, our own deadline, the transport, what the provider
 * said (money, length, policy before anything a status says), the status, and last how the answer ended. A model call changes
 * nothing but the bill. What nobody has named is permanent: it stops once. Never throws.
 */
export function classifyModelError(error: unknown, moment: ModelMoment): ModelFailure {
  const end = ended(moment);
  return readOr(
    () => {
      const call = readCall(error, moment);
      return describe(end ?? judged(call) ?? nameError(call), call, moment, error);
    },
    () => describe(end ?? { reason: 'bug' }, unreadableCall(error, moment), moment, 'the error cannot be read'),
  );
}

/** Errors are other people's objects: a getter or a proxy of one may throw when it is read, and so may a body without an end. */
function readOr<Value>(read: () => Value, otherwise: () => Value): Value {
  try {
    return read();
  } catch {
    return otherwise();
  }
}

/** Of an error that cannot be read: how far the answer had come. */
function unreadableCall(error: unknown, { inOnePiece }: ModelMoment): FailedCall {
  const facts = readOr(
    () => (error instanceof BrokenAnswer ? error.facts : undefined),
    () => undefined,
  );
  const answer = facts && { ...facts, error: undefined, body: undefined };
  const said = readProviderError([], {});
  return { links: [], said, headers: {}, status: undefined, answer, streamed: answer?.streamed ?? !inOnePiece };
}

function readCall(error: unknown, moment: ModelMoment): FailedCall {
  const answer = error instanceof BrokenAnswer ? error.facts : undefined;
  const links = linksOf(answer ? answer.error : error);
  const body = answer && answer.error === undefined ? [{ data: answer.body }] : [];
  const headers = { ...answer?.headers, ...headersOf(links) };
  const chain = [...links, ...body];
  const said = readProviderError(chain, headers);
  const status = firstNumber(links, ['statusCode', 'status']);
  return { links: chain, said, headers, status, answer, streamed: answer?.streamed ?? !moment.inOnePiece };
}

function ended({ caller, attempt, isAsked }: ModelMoment): Named | undefined {
  if (caller?.aborted) {
    const isDeadline = readOr(
      () => isRecord(caller.reason) && caller.reason['name'] === 'TimeoutError',
      () => false,
    );
    return { reason: isDeadline ? 'caller-deadline' : 'caller', ...(isAsked === false && { sent: 'no' }) };
  }
  return attempt?.aborted ? { reason: 'timeout' } : undefined;
}

/** An answer that carries no error is named by how it ended. */
function judged({ answer }: FailedCall): Named | undefined {
  const verdict = answer && judgeAnswer(answer);
  return verdict?.is === 'broken' ? { reason: verdict.reason } : undefined;
}

function headersOf(links: readonly Link[]): Readonly<Record<string, string>> {
  const headers = links.map(({ responseHeaders }) => responseHeaders).find(isRecord) ?? {};
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name.toLowerCase(), value]] : [],
    ),
  );
}

/** What the model got wrong it may get right when it is asked anew. */
const KINDS: Readonly<Record<ModelFailureClass, FailureKind>> = {
  transient: 'transient',
  'rate-limited': 'transient',
  'model-error': 'transient',
  permanent: 'permanent',
  cancelled: 'cancelled',
};

function describe(named: Named, call: FailedCall, moment: ModelMoment, error: unknown): ModelFailure {
  const { reason } = named;
  const cls = named.class ?? classOfReason(reason);
  const retry = cls === 'transient' || cls === 'rate-limited';
  const isOwnDeadline = moment.attempt?.aborted === true && reason === 'timeout';
  const asked = retry && !isOwnDeadline ? readAskedWait(headerOf(call), call.said, moment.now) : undefined;
  const sent = named.sent ?? sentOf(call, cls);
  const overCap = retry && (reason === 'quota-day' || (asked?.ms ?? 0) > WAIT_CAP_MS);
  const resetsAt = readReset(call.said);
  return {
    kind: isOwnDeadline ? 'timed-out' : KINDS[cls],
    delivery: sent === 'no' ? 'not-sent' : 'maybe-sent',
    message: joinSentences(
      messageOf(named, call, error, moment.secrets),
      whenOf(overCap ? asked?.ms : undefined, resetsAt),
    ),
    ...(call.status !== undefined && { status: call.status }),
    ...waitOf(asked),
    class: cls,
    reason,
    retry,
    tries: retry || cls === 'model-error' ? triesFor(reason, asked !== undefined, call) : 1,
    overCap,
    ...(resetsAt && { resetsAt }),
    resetStream: retry && call.streamed && (call.answer?.begun ?? false),
    billed: billOf(named, call, cls),
    sent,
  };
}

const waitOf = (asked: AskedWait | undefined) => (asked ? { waitMs: asked.ms, waitFrom: asked.from } : {});

/** OpenRouter repeats the headers of the limit in its body, which a piece of a stream has too. */
function headerOf({ headers, said }: FailedCall): Header {
  const repeated = isRecord(said.metadata['headers']) ? Object.entries(said.metadata['headers']) : [];
  return (name) => {
    const again = repeated.find(([key]) => key.toLowerCase() === name)?.[1];
    return headers[name] ?? (typeof again === 'string' || typeof again === 'number' ? String(again) : undefined);
  };
}

function sentOf({ links, status, answer }: FailedCall, cls: ModelFailureClass): ModelFailure['sent'] {
  if (status !== undefined || answer?.begun) return 'yes';
  const fault = readTransportFault(links);
  if (fault) return fault.sent;
  return answer || cls === 'model-error' ? 'yes' : 'maybe';
}

/** For people, where an error's own words would say nothing, or the wrong thing. */
const WORDS: Readonly<Partial<Record<FailureReason, string>>> = {
  empty: 'the reply was empty',
  truncated: 'the reply was cut off before its end',
  'content-filter': 'the provider filtered the content',
  refusal: 'the model refused',
  'tool-input': 'the model wrote a tool call that is none',
  caller: 'the run cancelled the call',
  'caller-deadline': "the run's deadline passed",
};

function messageOf(
  { reason }: Named,
  { said, answer }: FailedCall,
  error: unknown,
  secrets: readonly string[] = [],
): string {
  const [told] = said.messages;
  const carried = answer ? answer.error : error;
  const words = told === undefined ? WORDS[reason] : undefined;
  const facts = told === undefined ? carried : new Error(told);
  const text = words ?? (facts === undefined ? 'the answer cannot be used' : readErrorFacts(facts, secrets).message);
  return `The model could not be asked (${reason}): ${text}`;
}

/** For people: when it may work again, where that is not soon. */
function whenOf(askedMs: number | undefined, resetsAt: string | undefined): string {
  if (resetsAt !== undefined) return `It should work again from ${resetsAt}.`;
  if (askedMs === undefined) return '';
  const time = askedMs === LONGEST_ASKED_MS ? '30 days or longer' : `${Math.round(askedMs / 1_000)} s`;
  return `It asks to wait for ${time}.`;
}

const joinSentences = (first: string, next: string): string => (next === '' ? first : `${asSentence(first)} ${next}`);
