import type { RunEvent } from '../contracts/events.ts';
import type { AttemptFacts, CallFacts } from './calls-of-events.ts';
import type { Stretch } from './split-time.ts';

/** What went on in a run, and when: attempts, questions to people, waits. What has not ended goes on until `until`. */
export function stretchesOf(
  events: readonly RunEvent[],
  calls: readonly CallFacts[],
  until: number,
): readonly Stretch[] {
  return [...calls.flatMap((call) => ofCall(call, until)), ...ofPeople(events, until), ...ofProvider(events)];
}

function ofCall({ kind, attempts, answered }: CallFacts, until: number): readonly Stretch[] {
  return attempts.flatMap((attempt, at) => {
    const next = attempts[at + 1];
    // Without a word of its end: it was given up when the next one began, or the call was answered.
    const to = attempt.end?.at ?? next?.startMs ?? answered?.at ?? until;
    const work: Stretch = { kind: kind === 'model' ? 'model' : 'tools', from: attempt.startMs, to };
    return [work, ...waitAfter(attempt, to, next, until)];
  });
}

/** The wait before a repetition. Of a parked call it is its provider that is waited for. */
function waitAfter(
  { end }: AttemptFacts,
  from: number,
  next: AttemptFacts | undefined,
  until: number,
): readonly Stretch[] {
  if (end?.nextWaitMs === undefined) return [];
  const to = next?.startMs ?? Math.min(until, from + end.nextWaitMs);
  return [{ kind: end.outcome === 'parked' ? 'provider' : 'retries', from, to }];
}

function ofPeople(events: readonly RunEvent[], until: number): readonly Stretch[] {
  return events.flatMap((event) => {
    if (event.type !== 'question-raised') return [];
    const over = events.find(
      (other) =>
        (other.type === 'question-settled' || other.type === 'question-expired') && other.question === event.question,
    );
    return [{ kind: 'people' as const, from: event.at, to: over?.at ?? until }];
  });
}

const ofProvider = (events: readonly RunEvent[]): readonly Stretch[] =>
  events.flatMap((event) =>
    event.type === 'call-waits' ? [{ kind: 'provider' as const, from: event.at, to: event.at + event.waitMs }] : [],
  );
