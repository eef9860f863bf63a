import type { AdmitRequest, Admission, AttemptReport, RefusalReason, Ticket } from '../contracts/shared-limits.ts';
import {
  BREAKER_RULE,
  closedCircuit,
  noteReport,
  passCircuit,
  type BreakerRule,
  type Circuit,
} from './circuit-breaker.ts';
import {
  allowsRetry,
  drainThrottle,
  fullThrottle,
  refillThrottle,
  RETRY_THROTTLE,
  type RetryThrottle,
  type ThrottleRule,
} from './retry-throttle.ts';

/** What is kept per provider account, or per tool. */
export interface LimitState {
  readonly circuit: Circuit;
  readonly throttle: RetryThrottle;
}

export interface LimitRule {
  readonly breaker: BreakerRule;
  readonly throttle: ThrottleRule;
}

export const LIMIT_RULE: LimitRule = Object.freeze({ breaker: BREAKER_RULE, throttle: RETRY_THROTTLE });

export function freshLimits(rule: LimitRule = LIMIT_RULE, epoch = 0): LimitState {
  return { circuit: closedCircuit(epoch), throttle: fullThrottle(rule.throttle) };
}

export interface Answered {
  readonly admission: Admission;
  readonly state: LimitState;
}

/** May this attempt be made now? Asked before every attempt. `id` is unlike that of any other attempt. */
export function admitAttempt(
  state: LimitState,
  { reason, timeoutMs, id }: AdmitRequest & { readonly id: number },
  now: number,
  rule: LimitRule = LIMIT_RULE,
): Answered {
  const { circuit, throttle } = state;
  const isRepeated = reason === 'retry' || reason === 'hedge';
  const passage = passCircuit(circuit, { id, isAfterPark: reason === 'after-park', timeoutMs }, now, rule.breaker);
  const { spreadMs } = rule.breaker;
  if (passage.is === 'refused') return { admission: { ...passage, spreadMs }, state };
  if (isRepeated && !allowsRetry(throttle, rule.throttle)) {
    return refuse(state, 'throttled', rule.breaker.pauseMs, spreadMs);
  }
  // A hedge is an extra: whether the provider is back is found out by a call that needs it.
  if (reason === 'hedge' && passage.ticket.role === 'probe')
    return refuse(state, 'open', rule.breaker.askAgainMs, spreadMs);
  return {
    admission: { is: 'admitted', ticket: passage.ticket },
    state: { circuit: passage.circuit, throttle },
  };
}

function refuse(state: LimitState, why: RefusalReason, waitMs: number, spreadMs: number): Answered {
  return { admission: { is: 'refused', why, waitMs, spreadMs }, state };
}

/** The state after an attempt has reported. */
export function noteAttempt(
  { circuit, throttle }: LimitState,
  { ticket, report }: { readonly ticket: Ticket; readonly report: AttemptReport },
  now: number,
  rule: LimitRule = LIMIT_RULE,
): LimitState {
  return {
    circuit: noteReport(circuit, ticket, report, now, rule.breaker),
    throttle: noteThrottle(throttle, report, rule.throttle),
  };
}

function noteThrottle(throttle: RetryThrottle, report: AttemptReport, rule: ThrottleRule): RetryThrottle {
  if (report === 'failure') return drainThrottle(throttle, rule);
  return report === 'success' ? refillThrottle(throttle, rule) : throttle;
}
