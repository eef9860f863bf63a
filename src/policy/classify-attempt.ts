import type { ModelFailure } from '../contracts/failure.ts';
import { AllTargetsFailed } from '../contracts/middleware.ts';
import { MODEL_TIMES } from './model-times.ts';
import { NotAdmitted, ProbeFailed } from '../contracts/shared-limits.ts';

/**
 * Names the failure of a whole model attempt, whichever requests it made. Of several causes the most hopeful decides: the
 * attempt may be repeated if any of them may. `classify` is asked about what a provider threw.
 */
export function classifyAttempt(error: unknown, classify: (error: unknown) => ModelFailure): ModelFailure {
  if (error instanceof AllTargetsFailed) return joinFailures(error, classify);
  if (error instanceof ProbeFailed) return { ...classify(error.cause), waitMs: error.waitMs };
  return error instanceof NotAdmitted ? refusedHere(error) : classify(error);
}

/**
 * How long the call should park, in milliseconds; undefined when it should not. An attempt parks of which nothing was sent,
 * or only a probe: it costs no attempt and no retry budget.
 */
export function readParking(error: unknown, classify: (error: unknown) => ModelFailure): number | undefined {
  if (error instanceof NotAdmitted || error instanceof ProbeFailed) return error.waitMs;
  if (!(error instanceof AllTargetsFailed)) return undefined;
  const waits = error.errors.flatMap((cause) => {
    const wait = readParking(cause, classify);
    // A model that will never do does not keep the others from being waited for.
    return wait === undefined && classifyAttempt(cause, classify).kind === 'permanent' ? [] : [wait];
  });
  const known = waits.filter((wait) => wait !== undefined);
  return known.length > 0 && known.length === waits.length ? Math.min(...known) : undefined;
}

/** Was anything sent? A probe was; what the limits refused was not. */
export function wasSent(error: unknown): boolean {
  if (error instanceof AllTargetsFailed) return error.errors.some(wasSent);
  return !(error instanceof NotAdmitted);
}

function refusedHere({ message, waitMs }: NotAdmitted): ModelFailure {
  const facts = { class: 'transient', reason: 'overload', retry: true, overCap: false, resetStream: false } as const;
  const { attempts: tries } = MODEL_TIMES;
  return { kind: 'transient', delivery: 'not-sent', message, waitMs, ...facts, tries, billed: 'no', sent: 'no' };
}

const HOPE: readonly ModelFailure['kind'][] = ['cancelled', 'transient', 'timed-out'];

/** The caller's cancellation first, then what may be tried again, then the first cause. */
function joinFailures({ errors, message }: AllTargetsFailed, classify: (error: unknown) => ModelFailure): ModelFailure {
  const failures = errors.map((error) => classifyAttempt(error, classify));
  const kind = HOPE.find((hope) => failures.some((failure) => failure.kind === hope)) ?? 'permanent';
  const [first, ...rest] = failures.filter((failure) => failure.kind === kind);
  if (!first) return classify(errors[0]);
  // As soon as one of them may be asked again; one that named no time may be asked after our own backoff.
  const soonest = rest.reduce((best, one) => ((one.waitMs ?? 0) < (best.waitMs ?? 0) ? one : best), first);
  const delivery = failures.some((failure) => failure.delivery === 'maybe-sent') ? 'maybe-sent' : 'not-sent';
  return { ...soonest, message, delivery, resetStream: failures.some(({ resetStream }) => resetStream) };
}
