import type { Failure, FailureKind, FailureReason } from '../contracts/failure.ts';
import type { ErrorType } from '../contracts/telemetry-names.ts';
import { reasonOfStatus } from './status-reasons.ts';

// A new reason does not compile until it has a type.
const OF_REASON: Readonly<Record<FailureReason, ErrorType>> = {
  'bad-response': 'invalid_output',
  conflict: '_OTHER',
  dns: 'connection',
  empty: 'invalid_output',
  network: 'connection',
  'not-executed': '_OTHER',
  overload: 'overloaded',
  server: '_OTHER',
  'server-said-yes': '_OTHER',
  timeout: 'timeout',
  'tls-record': 'connection',
  truncated: 'connection',
  capacity: 'overloaded',
  'in-flight-budget': 'rate_limited',
  'quota-day': 'rate_limited',
  ramp: 'rate_limited',
  rate: 'rate_limited',
  auth: 'auth',
  'bad-request': 'invalid_request',
  billing: '_OTHER',
  bug: '_OTHER',
  config: 'invalid_request',
  'content-filter': 'content_filter',
  'context-length': 'context_length',
  forbidden: 'auth',
  'not-found': 'invalid_request',
  refusal: 'content_filter',
  'request-over-limit': 'rate_limited',
  'server-said-no': '_OTHER',
  'state-lost': 'invalid_request',
  'tls-config': 'connection',
  'too-large': 'invalid_request',
  'wrong-endpoint': 'invalid_request',
  'tool-call-cut': 'invalid_output',
  'tool-input': 'invalid_output',
  'tool-unknown': 'invalid_output',
  caller: 'cancelled',
  'caller-deadline': 'timeout',
};

/** Where nothing finer is known. */
const OF_KIND: Readonly<Record<FailureKind, ErrorType>> = {
  transient: '_OTHER',
  'timed-out': 'timeout',
  permanent: '_OTHER',
  unreadable: 'invalid_output',
  thrown: 'tool_error',
  'in-progress': '_OTHER',
  'key-reused': 'invalid_request',
  'held-back': 'overloaded',
  cancelled: 'cancelled',
};

/** The `error.type` of a failed attempt, from what is known of it: the reason first, then the status, then the kind. */
export function errorTypeOf({ kind, reason, status }: Partial<Pick<Failure, 'kind' | 'reason' | 'status'>>): ErrorType {
  if (kind === 'timed-out' || kind === 'cancelled') return OF_KIND[kind];
  const known = reason ?? (status === undefined ? undefined : reasonOfStatus(status));
  if (known !== undefined) return OF_REASON[known];
  return kind === undefined ? '_OTHER' : OF_KIND[kind];
}
