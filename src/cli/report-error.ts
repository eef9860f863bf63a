import { ServerNotReached } from '../temporal/server-not-reached.ts';
import { inspectError } from './cli.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import type { GlobalFlags } from './global-flags.ts';
import { makePasteable, type Place } from './printed-command.ts';
import { UsageError } from './usage-error.ts';

// gRPC's codes; grpc-js is the client's dependency, not ours.
const LOST = [4, 14];

export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof UsageError) return EXIT.usage;
  return error instanceof ServerNotReached || isLost(error) ? EXIT.notReached : EXIT.failed;
}

/** What went wrong, for people: what, with which value, and what to do; nothing of where in the code, but with `verbose`. */
export function describeError(error: unknown, { json, verbose }: GlobalFlags, place: Place): string {
  const message = makePasteable(messageOf(error), place);
  if (json) return JSON.stringify({ error: { message, exitCode: exitCodeOf(error) } });
  return [`holdfast: ${message}`, ...(verbose ? [inspectError(error)] : [])].join('\n');
}

/** Temporal's client says what it was doing, and keeps why it failed in the cause. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (isLost(error)) return `Temporal does not answer any more: ${lossOf(error)}.\n  If it has ended: holdfast dev`;
  if (error.name === 'NamespaceNotFoundError') {
    const { namespace } = error as { namespace?: string };
    return `there is no namespace "${namespace ?? ''}" on this server.\n  Check: --namespace, TEMPORAL_NAMESPACE or the profile`;
  }
  const { details } = (error.cause ?? {}) as { details?: unknown };
  return typeof details === 'string' && details !== '' ? `${error.message}: ${details}` : error.message;
}

const isLost = (error: unknown): boolean => LOST.includes(grpcCode(error) ?? 0);

/** grpc-js adds notes of its own; people need the last error it met. */
function lossOf({ message, cause }: Error): string {
  const { details = message } = (cause ?? {}) as { details?: string };
  return (/Last error: (?:Error: )?(.+?)\.? Resolution note/.exec(details)?.[1] ?? details).trim();
}

function grpcCode(error: unknown): number | undefined {
  const { cause, code } = (error ?? {}) as { cause?: unknown; code?: unknown };
  if (typeof code === 'number') return code;
  return cause === undefined ? undefined : grpcCode(cause);
}
