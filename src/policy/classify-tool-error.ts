import type { Failure, FailureReason } from '../contracts/failure.ts';
import type { SentRequest } from '../contracts/fetch-record.ts';
import { NotExecuted, ToolRefused, type Tool } from '../contracts/tool.ts';
import { assertNever } from './assert-never.ts';
import { readErrorFacts, type ErrorFacts } from './error-facts.ts';
import { linksOf } from './model-error-facts.ts';
import { reasonOfStatus } from './status-reasons.ts';
import { readTransportFault } from './transport-codes.ts';

type Answers = Pick<Tool, 'name' | 'effect' | 'thrown' | 'refusedStatuses' | 'classify'>;

const KINDS = ['transient', 'timed-out', 'permanent', 'unreadable', 'thrown', 'in-progress', 'key-reused', 'cancelled'];
const DELIVERIES = ['not-sent', 'refused', 'maybe-sent'];
const REFUSED_STATUSES = [400, 401, 403, 404, 405, 410, 413, 415];
const TRANSIENT_STATUSES = [408, 425, 500, 502, 503, 504, 529];
const CONNECTION_CODES = /^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_)/;

/**
 * Names the failure of one attempt, asking in order: what the tool threw to say so (`NotExecuted`, `ToolRefused`), its own
 * `classify`, the record of its requests, and last what the error says of itself. Absence of a record proves nothing.
 */
export function classifyToolError(error: unknown, tool: Answers, record: readonly SentRequest[]): Failure {
  const facts = readErrorFacts(error);
  const message = `${tool.name} failed: ${facts.message}`;
  const proven = saidByTool(error, facts) ?? askedFirst(error, tool);
  if (proven) return { ...proven, message: proven.message || message };
  // A reading tool is judged by its reads; for any other only what could change something proves anything.
  const telling = record.filter(({ changes }) => changes || tool.effect === 'read-only');
  const named =
    (telling.length > 0 ? byRecord(telling, tool, facts, message) : undefined) ?? byError(facts, tool, message);
  return withReason(named, error, facts);
}

/** A finer word where there is one: what the transport says, or the status. */
function withReason(failure: Failure, error: unknown, facts: ErrorFacts): Failure {
  if (failure.reason !== undefined || failure.kind === 'thrown') return failure;
  const reason = reasonOfFailure(failure, error, facts);
  return reason === undefined ? failure : { ...failure, reason };
}

function reasonOfFailure({ status, kind }: Failure, error: unknown, facts: ErrorFacts): FailureReason | undefined {
  const said = status ?? facts.status;
  if (said !== undefined) return reasonOfStatus(said);
  const fault = readTransportFault(linksOf(error))?.reason;
  if (fault !== undefined) return fault;
  if (facts.names.includes('TimeoutError')) return 'timeout';
  return kind === 'transient' ? 'network' : undefined;
}

/** By name, not by class: the user's copy of the package may be another one. */
function saidByTool(error: unknown, { message }: ErrorFacts): Failure | undefined {
  const name = error instanceof Error ? error.name : '';
  if (error instanceof NotExecuted || name === 'NotExecuted')
    return { kind: 'transient', delivery: 'not-sent', message, reason: 'not-executed' };
  if (error instanceof ToolRefused || name === 'ToolRefused')
    return { kind: 'permanent', delivery: 'refused', message };
  return undefined;
}

function askedFirst(error: unknown, { classify, effect }: Answers): Failure | undefined {
  const named = askQuietly(classify, error);
  // For an unflagged tool a guess of the author's may only make things stricter.
  return named && effect === 'unflagged' ? { ...named, delivery: 'maybe-sent' } : named;
}

function isFailure(named: Partial<Failure> | undefined): named is Failure {
  const { kind = '', delivery = '', message } = named ?? {};
  return KINDS.includes(kind) && DELIVERIES.includes(delivery) && typeof message === 'string';
}

/** A classifier with a bug has not answered; the error it was asked about is judged without it. */
function askQuietly(classify: Answers['classify'], error: unknown): Failure | undefined {
  try {
    const named = classify?.(error);
    return isFailure(named) ? named : undefined;
  } catch {
    return undefined;
  }
}

/** The record decides when every request of it is known to have done nothing; or by the one that may have acted. */
function byRecord(
  record: readonly SentRequest[],
  tool: Answers,
  facts: ErrorFacts,
  message: string,
): Failure | undefined {
  const failures = record.map((request) => failureOf(request, tool, message));
  const doubtful = failures.find((failure) => failure?.delivery === 'maybe-sent');
  if (doubtful) return doubtful;
  const isAnswered = failures.some((failure) => failure === undefined);
  if (!isAnswered) return failures.at(-1);
  return isUnreadable(facts)
    ? { kind: 'unreadable', delivery: 'maybe-sent', message: `${message} (the service had answered with success)` }
    : undefined;
}

/** Undefined: answered with success. */
function failureOf({ method, url, answer }: SentRequest, tool: Answers, message: string): Failure | undefined {
  const said = (what: string) => `${tool.name}: ${method} ${url} ${what}.`;
  switch (answer.is) {
    case 'open':
    case 'lost':
      return { kind: 'transient', delivery: 'maybe-sent', message };
    case 'not-sent': {
      const kind = answer.isLasting ? 'permanent' : 'transient';
      return { kind, delivery: 'not-sent', message: said(`was not sent: ${answer.why}`) };
    }
    case 'status':
      return failureOfStatus(answer, tool, said(`was answered with ${answer.status}`));
    default:
      return assertNever(answer);
  }
}

function failureOfStatus(
  { status, waitMs, waitFrom }: Extract<SentRequest['answer'], { is: 'status' }>,
  { refusedStatuses, effect }: Answers,
  message: string,
): Failure | undefined {
  if (status >= 200 && status < 300) return undefined;
  const asked = waitMs === undefined ? {} : { waitMs, ...(waitFrom && { waitFrom }) };
  if (status === 429) return { kind: 'transient', delivery: 'refused', message, status, ...asked };
  if (refusedStatuses.includes(status)) {
    return {
      kind: TRANSIENT_STATUSES.includes(status) ? 'transient' : 'permanent',
      delivery: 'refused',
      message,
      status,
      ...asked,
    };
  }
  if (REFUSED_STATUSES.includes(status)) return { kind: 'permanent', delivery: 'refused', message, status };
  const isKeyed = effect === 'idempotent' || effect === 'by-key';
  if (status === 409 && isKeyed) return { kind: 'in-progress', delivery: 'maybe-sent', message, status, ...asked };
  if (status === 422 && isKeyed) return { kind: 'key-reused', delivery: 'maybe-sent', message, status };
  const kind = TRANSIENT_STATUSES.includes(status) ? 'transient' : 'permanent';
  return { kind, delivery: 'maybe-sent', message, status, ...asked };
}

/** An arbitrary error's own words tell whether trying again may help, and never that nothing happened. */
function byError({ status, codes, names }: ErrorFacts, { thrown }: Answers, message: string): Failure {
  if (thrown === 'refused') return { kind: 'permanent', delivery: 'refused', message };
  const isTransient =
    (status !== undefined && (status === 429 || TRANSIENT_STATUSES.includes(status))) ||
    codes.some((code) => CONNECTION_CODES.test(code)) ||
    names.some((name) => name === 'TimeoutError');
  return { kind: isTransient ? 'transient' : 'thrown', delivery: 'maybe-sent', message };
}

function isUnreadable({ names, codes, messages }: ErrorFacts): boolean {
  return (
    names.includes('SyntaxError') || messages.includes('terminated') || codes.some((c) => CONNECTION_CODES.test(c))
  );
}
