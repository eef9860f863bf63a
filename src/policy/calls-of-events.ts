import type { RunEvent, ScheduledAttempt } from '../contracts/events.ts';

type Of<Type extends RunEvent['type']> = Extract<RunEvent, { type: Type }>;

export interface AttemptFacts {
  readonly number: number;
  /** As in its events. */
  readonly scheduledAt?: number;
  readonly startMs: number;
  /** Undefined: no word of its end. */
  readonly end?: Of<'attempt-ended'>;
  readonly requests: readonly RequestFacts[];
  /** Characters of its reply that were passed on while it came, as far as their pieces are among the events. */
  readonly passedChars?: number;
}

export interface RequestFacts {
  readonly sent: Of<'request-sent'>;
  readonly answered?: Of<'request-answered'>;
  readonly end?: Of<'request-ended'>;
}

/** All that is on record about one call. */
export interface CallFacts {
  readonly call: string;
  readonly kind: 'model' | 'tool';
  /** Tool name, or provider and model. */
  readonly name: string;
  /** When the first of it is on record. */
  readonly startMs: number;
  readonly attempts: readonly AttemptFacts[];
  readonly answered?: Of<'call-answered'>;
  readonly late?: Of<'late-outcome'>;
}

/** The calls of a run, in the order in which they began. Events may come twice, and ends without their starts. */
export function callsOfEvents(events: readonly RunEvent[]): readonly CallFacts[] {
  const calls = new Map<string, CallFacts>();
  const firstAt = new Map<string, number>();
  for (const event of events) {
    if ('call' in event && !firstAt.has(event.call)) firstAt.set(event.call, event.at);
    const about = subjectOf(event, calls, firstAt);
    if (about) calls.set(about.call, withEvent(about, event));
  }
  return [...calls.values()];
}

/**
 * The call an event is about, known or new; undefined for what is about none. A call may have waited, for its provider or for
 * people, before an attempt says what it is called.
 */
function subjectOf(
  event: RunEvent,
  calls: ReadonlyMap<string, CallFacts>,
  firstAt: ReadonlyMap<string, number>,
): CallFacts | undefined {
  if (!('call' in event)) return undefined;
  const known = calls.get(event.call);
  if (known) return known;
  const { call } = event;
  const startMs = firstAt.get(call) ?? event.at;
  if (event.type === 'attempt-started' || event.type === 'attempt-ended') {
    return { call, kind: event.kind, name: event.name, startMs, attempts: [] };
  }
  if (event.type !== 'call-answered') return undefined;
  return { call, kind: 'tool', name: event.tool, startMs, attempts: [] };
}

function withEvent(call: CallFacts, event: RunEvent): CallFacts {
  const { attempts } = call;
  if (event.type === 'attempt-started') {
    return isTwice(call, event) ? call : { ...call, attempts: [...attempts, begun(event)] };
  }
  if (event.type === 'attempt-ended') return { ...call, attempts: endLast(attempts, event) };
  if (event.type === 'request-sent') {
    return inAttempt(call, event, ({ requests }) => ({
      requests: requests.some(({ sent }) => sent.part === event.part) ? requests : [...requests, { sent: event }],
    }));
  }
  if (event.type === 'request-answered' || event.type === 'request-ended') {
    const known = event.type === 'request-ended' ? { end: event } : { answered: event };
    return inAttempt(call, event, ({ requests }) => ({
      requests: requests.map((one) => (one.sent.part === event.part ? { ...one, ...known } : one)),
    }));
  }
  if (event.type === 'piece') {
    const { length } = event.delta;
    return inAttempt(call, event, ({ passedChars = 0 }) => ({ passedChars: passedChars + length }));
  }
  if (event.type === 'call-answered') return { ...call, answered: event };
  return event.type === 'late-outcome' ? { ...call, late: event } : call;
}

const begun = ({ attempt, scheduledAt, at }: Of<'attempt-started' | 'attempt-ended'>): AttemptFacts => {
  return { number: attempt, ...(scheduledAt !== undefined && { scheduledAt }), startMs: at, requests: [] };
};

const isTwice = ({ attempts }: CallFacts, event: Of<'attempt-started'>): boolean =>
  attempts.some((one) => isOf(event)(one) && one.startMs === event.at);

/** Two attempts of one number may go on at once. What does not say which, as a piece or of an older version, is of the last. */
const isOf =
  ({ attempt, scheduledAt }: ScheduledAttempt) =>
  (one: AttemptFacts): boolean =>
    one.number === attempt &&
    (scheduledAt === undefined || one.scheduledAt === undefined || one.scheduledAt === scheduledAt);

function endLast(attempts: readonly AttemptFacts[], end: Of<'attempt-ended'>): readonly AttemptFacts[] {
  const place = attempts.findLastIndex(isOf(end));
  const known = attempts[place];
  // One that ended before it sent anything has no start on record.
  if (!known || (known.end && known.end.at !== end.at)) return [...attempts, { ...begun(end), end }];
  return attempts.with(place, { ...known, end });
}

function inAttempt(
  call: CallFacts,
  event: ScheduledAttempt,
  change: (attempt: AttemptFacts) => Partial<AttemptFacts>,
): CallFacts {
  const place = call.attempts.findLastIndex(isOf(event));
  const attempt = call.attempts[place];
  if (!attempt) return call;
  return { ...call, attempts: call.attempts.with(place, { ...attempt, ...change(attempt) }) };
}
