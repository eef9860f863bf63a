import type { ToolCard } from '../contracts/agent-card.ts';
import type { Effect } from '../contracts/effect.ts';
import { TOOL_BACKOFF, WAIT_CAP_MS, backoffCeilingMs } from './backoff.ts';
import { RECORD_GRACE_MS } from './ledger-times.ts';

/** The times and attempts Temporal is given for one schedule of a call. All in milliseconds. */
export interface CallTimes {
  readonly startToCloseMs: number;
  readonly scheduleToCloseMs: number;
  readonly heartbeatMs: number;
  readonly maximumAttempts: number;
  /** How long the workflow itself waits: a paused activity never times out. */
  readonly boundMs: number;
  readonly nonRetryableErrorTypes: readonly string[];
}

/** After the server has had every chance to end the activity itself. */
const BOUND_AFTER_MS = 5_000;

/** A blip of the server must not make questions for people; a lost reader should be replaced soon. */
const heartbeatFor = (effect: Effect): number => (effect === 'read-only' ? 2_000 : 30_000);

/** Derives the policy of a tool call from its card. `leftMs` is the time to the run's deadline, when it has one. */
export function toolTimes(
  tool: Pick<ToolCard, 'timeoutMs' | 'totalTimeoutMs' | 'maxAttempts'>,
  effect: Effect,
  leftMs: number | undefined,
): CallTimes {
  const startToCloseMs = tool.timeoutMs + RECORD_GRACE_MS;
  const fullMs = tool.totalTimeoutMs ?? attemptsMs(tool.maxAttempts, startToCloseMs);
  // Never shorter than one attempt: a deadline in the middle of an effect would only make a question of it.
  const scheduleToCloseMs = Math.max(startToCloseMs, Math.min(fullMs, leftMs ?? fullMs));
  return {
    startToCloseMs,
    scheduleToCloseMs,
    heartbeatMs: Math.min(heartbeatFor(effect), startToCloseMs),
    maximumAttempts: tool.maxAttempts,
    boundMs: scheduleToCloseMs + BOUND_AFTER_MS,
    nonRetryableErrorTypes: effect === 'unflagged' ? ['TemporalTimeout:StartToClose', 'TemporalTimeout:Heartbeat'] : [],
  };
}

/** All attempts, and between them the longer of our own highest wait and the longest wait a server may ask for. */
function attemptsMs(attempts: number, startToCloseMs: number): number {
  let waitsMs = 0;
  for (let retry = 1; retry < attempts; retry++) {
    waitsMs += Math.max(backoffCeilingMs(TOOL_BACKOFF, retry), WAIT_CAP_MS * 1.1);
  }
  return attempts * startToCloseMs + waitsMs;
}
