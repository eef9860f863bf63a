import type { Failure } from '../contracts/failure.ts';
import { AllTargetsFailed } from '../contracts/middleware.ts';
import { NotAdmitted, ProbeFailed } from '../contracts/shared-limits.ts';

/**
 * Names the failure of a whole model attempt, whichever requests it made. Of several causes the most hopeful decides: the
 * attempt may be repeated if any of them may. `classify` is asked about what a provider threw.
 */
export function classifyAttempt(error: unknown, classify: (error: unknown) => Failure): Failure {
  if (error instanceof AllTargetsFailed) return joinFailures(error, classify);
  if (error instanceof ProbeFailed) return { ...classify(error.cause), waitMs: error.waitMs };
  return error instanceof NotAdmitted ? refusedHere(error) : classify(error);
}

/**
 * How long the call should park, in milliseconds; undefined when it should not. An attempt parks of which nothing was sent,
 * or only a probe: it costs no attempt and no retry budget.
 */
export function readParking(error: unknown): number | undefined {
  if (error instanceof NotAdmitted || error instanceof ProbeFailed) return error.waitMs;
  if (!(error instanceof AllTargetsFailed)) return undefined;
  const waits = error.errors.map(readParking);
  return waits.includes(undefined) ? undefined : Math.min(...waits.filter((wait) => wait !== undefined));
}

function refusedHere({ message, waitMs }: NotAdmitted): Failure {
  return { kind: 'transient', delivery: 'not-sent', message, waitMs };
}

const HOPE: readonly Failure['kind'][] = ['cancelled', 'transient', 'timed-out', 'in-progress', 'unreadable'];

/** The caller's cancellation first, then what may be tried again, then the first cause. */
function joinFailures({ errors, message }: AllTargetsFailed, classify: (error: unknown) => Failure): Failure {
  const failures = errors.map((error) => classifyAttempt(error, classify));
  const kinds = failures.map(({ kind }) => kind);
  const kind = HOPE.find((hope) => kinds.includes(hope)) ?? kinds[0] ?? 'permanent';
  const deciding = failures.filter((failure) => failure.kind === kind);
  const waits = deciding.map(({ waitMs }) => waitMs ?? 0);
  const waitMs = Math.min(...waits);
  const status = deciding[0]?.status;
  return {
    kind,
    delivery: failures.some(({ delivery }) => delivery === 'maybe-sent') ? 'maybe-sent' : 'not-sent',
    message,
    ...(status === undefined ? {} : { status }),
    // As soon as one of them may be asked again; one that named no time may be asked after our own backoff.
    ...(Number.isFinite(waitMs) && waitMs > 0 ? { waitMs } : {}),
  };
}
