import type { StoredEvent, Usage } from '../contracts/events.ts';
import type { Failure } from '../contracts/failure.ts';
import type { ModelReply } from '../contracts/model-reply.ts';
import type { Spend } from '../contracts/run.ts';
import { namedIntent } from './named-intent.ts';

/** One try of a call. Without an end it is under way, or its worker was lost. */
export interface AttemptReport {
  readonly startedAt: number;
  readonly endedAt?: number;
  readonly outcome?: Ended['outcome'];
  readonly failure?: Failure;
  readonly usage?: Usage;
  /** The wait decided before the next one, in milliseconds. */
  readonly nextWaitMs?: number;
}

export interface AttemptsOfCall {
  readonly call: string;
  readonly turn: number;
  readonly kind: 'model' | 'tool';
  readonly name: string;
  readonly intent?: string;
  readonly attempts: readonly AttemptReport[];
  /** What the model was told in the end. */
  readonly reply?: ModelReply;
}

type Started = Extract<StoredEvent, { type: 'attempt-started' }>;
type Ended = Extract<StoredEvent, { type: 'attempt-ended' }>;

/** The attempts of each call, in the order in which they began, from a run's events. */
export function readAttempts(events: readonly StoredEvent[]): ReadonlyMap<string, AttemptsOfCall> {
  const calls = new Map<string, AttemptsOfCall>();
  for (const event of events) {
    if (event.type === 'attempt-started') calls.set(event.call, withStart(calls.get(event.call), event));
    if (event.type === 'attempt-ended') calls.set(event.call, withEnd(calls.get(event.call), event));
    const answered = event.type === 'call-answered' ? calls.get(event.call) : undefined;
    if (event.type === 'call-answered' && answered) calls.set(event.call, { ...answered, reply: event.reply });
  }
  return calls;
}

/** Tokens that the events know of. An attempt that reported none counts as unmetered, never as free. */
export function tokensOf(events: readonly StoredEvent[]): Spend {
  const usages = events.flatMap((event) =>
    event.type === 'attempt-ended' && event.kind === 'model' && event.outcome !== 'parked' ? [event.usage] : [],
  );
  const sum = (of: 'inputTokens' | 'outputTokens') => usages.reduce((all, usage) => all + (usage?.[of] ?? 0), 0);
  const unmetered = usages.filter(
    (usage) => (usage?.inputTokens ?? null) === null && (usage?.outputTokens ?? null) === null,
  );
  return { inputTokens: sum('inputTokens'), outputTokens: sum('outputTokens'), unmetered: unmetered.length };
}

function withStart(call: AttemptsOfCall | undefined, { at, ...event }: Started): AttemptsOfCall {
  return { ...identityOf(event, call), attempts: [...(call?.attempts ?? []), { startedAt: at }] };
}

/** Ends the attempt that has no end yet. An end whose start could not be written stands alone. */
function withEnd(call: AttemptsOfCall | undefined, event: Ended): AttemptsOfCall {
  const { at, outcome, failure, usage, nextWaitMs } = event;
  const attempts = [...(call?.attempts ?? [])];
  const open = attempts.findLastIndex(({ endedAt }) => endedAt === undefined);
  const ended: AttemptReport = {
    startedAt: attempts[open]?.startedAt ?? at,
    endedAt: at,
    outcome,
    ...(failure && { failure }),
    ...(usage && { usage }),
    ...(nextWaitMs !== undefined && { nextWaitMs }),
  };
  attempts.splice(open === -1 ? attempts.length : open, 1, ended);
  return { ...identityOf(event, call), attempts };
}

type Named = Pick<Ended, 'call' | 'turn' | 'kind' | 'name'> & Pick<Started, 'intent'>;

function identityOf({ call, turn, kind, name, intent }: Named, before: AttemptsOfCall | undefined) {
  const named = namedIntent(name, intent) ?? before?.intent;
  return { call, turn, kind, name, ...(named !== undefined && { intent: named }) };
}
