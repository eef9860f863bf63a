import type { FailureReason } from '../contracts/failure.ts';
import { EVENTS, NAMES } from '../contracts/telemetry-names.ts';
import { errorTypeOf } from './error-type.ts';
import { spanId, traceId } from './stable-id.ts';

/** What a log line is about, as far as whoever writes it knows. */
export interface LineAbout {
  readonly run: string;
  /** First execution id of the run. */
  readonly execution?: string;
  readonly agent?: string;
  /** Call id; of a model call the turn says it as well. */
  readonly call?: string;
  readonly turn?: number;
  readonly tool?: string;
  readonly attempt?: number;
}

/** What became of an attempt, in the words of whoever made it. */
export interface AttemptNews {
  readonly event?: string;
  readonly reason?: FailureReason;
  /** The wait before the next one; absent when none follows. */
  readonly delayMs?: number;
  readonly maxAttempts?: number;
  /** Why none follows. */
  readonly final?: string;
}

type Fields = Readonly<Record<string, string | number | boolean>>;

/** The fields by which a line is found from its run, its call, or its span; ids as `traceOf` has them. */
export function lineFields({ run, execution, agent, tool, attempt, ...about }: LineAbout): Fields {
  const call = about.call ?? (about.turn === undefined ? undefined : `t${about.turn}`);
  const span = call === undefined ? { run, segment: 0 } : { run, call, ...(attempt !== undefined && { attempt }) };
  return {
    [NAMES.run]: run,
    ...(execution !== undefined && { [NAMES.workflowRunId]: execution }),
    ...(agent !== undefined && { [NAMES.agent]: agent }),
    ...(call !== undefined && { [NAMES.call]: call }),
    ...(tool !== undefined && { [NAMES.tool]: tool }),
    ...(attempt !== undefined && { [NAMES.attempt]: attempt }),
    [NAMES.traceId]: traceId(run),
    [NAMES.spanId]: spanId(span),
  };
}

/** The fields that say what became of an attempt, and what follows. Empty for news of anything else. */
export function attemptFields({ event, reason, delayMs, maxAttempts, final }: AttemptNews): Fields {
  const isFailed = reason !== undefined || final !== undefined;
  const name = event ?? (isFailed ? EVENTS.attemptFailed : delayMs === undefined ? undefined : EVENTS.attemptParked);
  return {
    ...(name !== undefined && { [NAMES.eventName]: name }),
    ...(isFailed && { [NAMES.errorType]: errorTypeOf({ ...(reason && { reason }) }) }),
    ...((delayMs !== undefined || final !== undefined) && { [NAMES.willRetry]: delayMs !== undefined }),
    ...(delayMs !== undefined && { [NAMES.nextDelayMs]: delayMs }),
    ...(maxAttempts !== undefined && { [NAMES.maxAttempts]: maxAttempts }),
  };
}
