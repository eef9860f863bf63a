import type { AttemptReport, RefusalReason, Ticket } from '../contracts/shared-limits.ts';
import { assertNever } from './assert-never.ts';

export interface BreakerRule {
  /** Consecutive failures that open the circuit. */
  readonly failures: number;
  /** From opening to the first probe, and from a probe that failed to the next. */
  readonly pauseMs: number;
  /** Beyond its own time a probe is waited for this much longer, then it counts as lost. */
  readonly graceMs: number;
  /** How soon it may help to ask again while a probe is under way, or while others that were parked go first. */
  readonly askAgainMs: number;
  /** Parked calls come back spread over this time, so that a provider that recovers is not met by all of them at once. */
  readonly spreadMs: number;
}

export const BREAKER_RULE: BreakerRule = Object.freeze({
  failures: 5,
  pauseMs: 20_000,
  graceMs: 1_000,
  askAgainMs: 1_000,
  spreadMs: 10_000,
});

/** An attempt whose end is waited for, though not for ever. */
interface UnderWay {
  readonly id: number;
  readonly lostAt: number;
}

/** An attempt of a call that had been parked. It counts as a success once, when it begins to answer or when it ends. */
interface Returning extends UnderWay {
  readonly isCounted: boolean;
}

/**
 * `epoch` counts the openings. While closed: `failures` in a row, `successes` since it closed, and the attempts under way
 * of calls that had been parked. Times are a `Clock`'s.
 */
export type Circuit =
  | {
      readonly is: 'closed';
      readonly epoch: number;
      readonly failures: number;
      readonly successes: number;
      readonly returning: readonly Returning[];
    }
  | { readonly is: 'open'; readonly epoch: number; readonly probeAt: number }
  | { readonly is: 'probing'; readonly epoch: number; readonly probe: UnderWay };

/** A new circuit is closed, and lets parked calls in one by one at first: the worker before this one may have parked them. */
export function closedCircuit(epoch = 0): Circuit {
  return { is: 'closed', epoch, failures: 0, successes: 0, returning: [] };
}

export interface Entry {
  /** Unlike that of any other attempt. */
  readonly id: number;
  readonly isAfterPark: boolean;
  readonly timeoutMs: number;
}

export type Passage =
  | { readonly is: 'admitted'; readonly ticket: Ticket; readonly circuit: Circuit }
  | { readonly is: 'refused'; readonly why: Exclude<RefusalReason, 'throttled'>; readonly waitMs: number };

/** May this attempt be made now? If so, as what, and what the circuit is then. */
export function passCircuit(circuit: Circuit, entry: Entry, now: number, rule: BreakerRule = BREAKER_RULE): Passage {
  switch (circuit.is) {
    case 'closed':
      return entry.isAfterPark ? joinRamp(circuit, entry, now, rule) : admit(circuit, entry, 'ordinary');
    case 'open':
      if (now < circuit.probeAt) return { is: 'refused', why: 'open', waitMs: circuit.probeAt - now };
      return beginProbe(circuit, entry, now, rule);
    case 'probing':
      // Lost: it would have reported within its own time. Its place is free again.
      if (now >= circuit.probe.lostAt) return beginProbe(circuit, entry, now, rule);
      return { is: 'refused', why: 'probing', waitMs: rule.askAgainMs };
    default:
      return assertNever(circuit);
  }
}

function admit(circuit: Circuit, { id }: Entry, role: Ticket['role']): Passage {
  return { is: 'admitted', ticket: { id, epoch: circuit.epoch, role }, circuit };
}

function beginProbe({ epoch }: Circuit, entry: Entry, now: number, rule: BreakerRule): Passage {
  return admit({ is: 'probing', epoch, probe: underWay(entry, now, rule) }, entry, 'probe');
}

function joinRamp(circuit: Circuit & { is: 'closed' }, entry: Entry, now: number, rule: BreakerRule): Passage {
  const returning = circuit.returning.filter(({ lostAt }) => now < lostAt);
  if (returning.length > circuit.successes) return { is: 'refused', why: 'ramp', waitMs: rule.askAgainMs };
  const joined = { ...underWay(entry, now, rule), isCounted: false };
  return admit({ ...circuit, returning: [...returning, joined] }, entry, 'after-park');
}

const underWay = ({ id, timeoutMs }: Entry, now: number, { graceMs }: BreakerRule): UnderWay => ({
  id,
  lostAt: now + timeoutMs + graceMs,
});

/** The circuit after an attempt has reported. One that was admitted before the last opening changes nothing. */
export function noteReport(
  circuit: Circuit,
  ticket: Ticket,
  report: AttemptReport,
  now: number,
  rule: BreakerRule = BREAKER_RULE,
): Circuit {
  if (ticket.epoch !== circuit.epoch) return circuit;
  switch (circuit.is) {
    case 'open':
      return circuit;
    case 'probing':
      return ticket.id === circuit.probe.id ? noteProbe(circuit, report, now, rule) : circuit;
    case 'closed':
      return noteWhileClosed(circuit, ticket, report, now, rule);
    default:
      return assertNever(circuit);
  }
}

function noteProbe(
  circuit: Circuit & { is: 'probing' },
  report: AttemptReport,
  now: number,
  rule: BreakerRule,
): Circuit {
  switch (report) {
    case 'answering':
    case 'success':
      return closedCircuit(circuit.epoch);
    case 'failure':
      return openCircuit(circuit, now, rule);
    case 'neutral':
      // Nothing was learnt: the next may probe at once.
      return { is: 'open', epoch: circuit.epoch, probeAt: now };
    default:
      return assertNever(report);
  }
}

function noteWhileClosed(
  circuit: Circuit & { is: 'closed' },
  { id, role }: Ticket,
  report: AttemptReport,
  now: number,
  rule: BreakerRule,
): Circuit {
  const mine = circuit.returning.find((attempt) => attempt.id === id);
  const returning = circuit.returning.filter((attempt) => attempt !== mine);
  const isNews = mine ? !mine.isCounted : role === 'ordinary' && report === 'success';
  const successes = circuit.successes + (isNews ? 1 : 0);
  switch (report) {
    case 'answering':
      // It is still under way, and keeps its place.
      return mine ? { ...circuit, successes, returning: [...returning, { ...mine, isCounted: true }] } : circuit;
    case 'success':
      return { ...circuit, returning, successes, failures: 0 };
    case 'failure':
      if (circuit.failures + 1 >= rule.failures) return openCircuit(circuit, now, rule);
      return { ...circuit, returning, failures: circuit.failures + 1 };
    case 'neutral':
      return { ...circuit, returning };
    default:
      return assertNever(report);
  }
}

function openCircuit({ epoch }: Circuit, now: number, { pauseMs }: BreakerRule): Circuit {
  return { is: 'open', epoch: epoch + 1, probeAt: now + pauseMs };
}
