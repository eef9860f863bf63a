import type { RunEvent } from '../contracts/events.ts';
import { EVENTS, NAMES } from '../contracts/telemetry-names.ts';
import { cleanMessage } from './clean-message.ts';
import { errorTypeOf } from './error-type.ts';
import { lineFields } from './log-fields.ts';

/** A log line as data. */
export interface LogLine {
  readonly level: 'info' | 'warn' | 'error';
  readonly message: string;
  readonly fields: Readonly<Record<string, string | number | boolean>>;
}

type Of<Type extends RunEvent['type']> = Extract<RunEvent, { type: Type }>;

/**
 * What the log says of an event; undefined for most. Of a model's attempts nothing: their activity, which knows how many may
 * follow, writes that line itself.
 */
export function lineOfEvent(run: string, event: RunEvent): LogLine | undefined {
  switch (event.type) {
    case 'run-started':
      return {
        level: 'info',
        message: 'The run has begun.',
        fields: named(EVENTS.runStarted, { run, agent: event.agent }),
      };
    case 'run-ended':
      return {
        level: 'info',
        message: `The run has ended: ${event.status}.`,
        fields: { ...named(EVENTS.runFinished, { run }), status: event.status },
      };
    case 'attempt-ended':
      return event.kind === 'tool' && event.failure ? failed(run, event, event.failure) : undefined;
    case 'late-outcome':
      return {
        level: event.contradicts === undefined ? 'warn' : 'error',
        message: `Late news of a call: ${event.is === 'done' ? 'it happened' : 'it failed'}.`,
        fields: {
          ...named(EVENTS.lateOutcome, { run, call: event.call }),
          outcome: event.is === 'done' ? 'late_success' : 'late_failure',
        },
      };
    case 'question-raised':
      return {
        level: 'info',
        message: `The run asks people: ${event.question}.`,
        fields: { ...named(EVENTS.humanRequested, { run, call: event.call }), kind: event.kind ?? 'outcome' },
      };
    case 'question-settled':
      return {
        level: 'info',
        message: `${event.question} is settled by ${cleanMessage(event.by)}.`,
        fields: named(EVENTS.humanResolved, { run }),
      };
    case 'attempt-started':
    case 'limits-changed':
    case 'chat-message':
    case 'request-sent':
    case 'request-answered':
    case 'request-ended':
    case 'cost-found':
    case 'cost-not-found':
    case 'piece':
    case 'reset':
    case 'call-planned':
    case 'call-waits':
    case 'question-expired':
    case 'decision-refused':
    case 'call-answered':
    case 'said':
      return undefined;
  }
}

const named = (event: string, about: Parameters<typeof lineFields>[0]) => {
  return { [NAMES.eventName]: event, ...lineFields(about) };
};

function failed(
  run: string,
  { call, name, attempt, nextWaitMs }: Of<'attempt-ended'>,
  failure: NonNullable<Of<'attempt-ended'>['failure']>,
): LogLine {
  return {
    level: 'warn',
    message: cleanMessage(failure.message),
    fields: {
      ...named(EVENTS.attemptFailed, { run, call, tool: name, attempt }),
      [NAMES.errorType]: errorTypeOf(failure),
      [NAMES.willRetry]: nextWaitMs !== undefined,
      ...(nextWaitMs !== undefined && { [NAMES.nextDelayMs]: nextWaitMs }),
    },
  };
}
