import type { Effect } from '../contracts/effect.ts';
import type { Failure } from '../contracts/failure.ts';
import type { Tool } from '../contracts/tool.ts';
import { judge, type Verdict } from './judge.ts';
import { toolTimes } from './tool-times.ts';

/** What follows from a tool's flags, worked out by `judge` itself and never from a second table. */
export interface ToolRow {
  readonly tool: string;
  readonly effect: Effect;
  readonly maxAttempts: number;
  readonly timeoutMs: number;
  readonly totalMs: number;
  readonly landsWithinMs: number | null;
  /** An unknown outcome is looked up before a person is asked. */
  readonly looksUp: boolean;
  /** Attempts when each may have acted: 1 for unflagged tools. */
  readonly attemptsInDoubt: number;
  readonly onTimeout: Verdict;
  /** A 429 seen through `ctx.fetch`: the receiver refused, so even an unflagged tool may try again. */
  readonly onRateLimit: Verdict;
  /** A 429 found in an arbitrary error. */
  readonly onRateLimitUnseen: Verdict;
  readonly onLostWorker: Verdict;
  /** The tool's author wrote an `intent`. */
  readonly namesIntent: boolean;
  /** Whether somebody must agree before a call is made. */
  readonly asks: 'always' | 'sometimes' | 'never';
  /** The same action after it had failed, or another one in doubt; `decides`: a function of the tool's says. */
  readonly onRepeat: 'ask' | 'block' | 'decides';
  /** How long a key that was sent is relied upon; null: for ever, or not at all. */
  readonly keyValidForMs: number | null;
  /** The receiver is asked once to call the action off. */
  readonly callsOff: boolean;
}

const FAILURES = {
  timeout: { kind: 'timed-out', delivery: 'maybe-sent', message: '' },
  rateLimit: { kind: 'transient', delivery: 'refused', message: '', status: 429 },
  rateLimitUnseen: { kind: 'transient', delivery: 'maybe-sent', message: '', status: 429 },
  lostWorker: { kind: 'timed-out', delivery: 'maybe-sent', message: '' },
} as const satisfies Record<string, Failure>;

/** Takes a tool as a run knows it, or as its author defined it. */
export function describeTool(definition: Tool): ToolRow {
  const { name: tool, effect, maxAttempts, timeoutMs, confirm, needsApproval, onRepeat } = definition;
  const verdictOn = (failure: Failure) => judge({ failure, effect, worst: failure.delivery, spent: false });
  return {
    tool,
    effect,
    maxAttempts,
    timeoutMs,
    totalMs: toolTimes(definition, effect, undefined).scheduleToCloseMs,
    landsWithinMs: effect === 'read-only' ? null : definition.landsWithinMs,
    looksUp: confirm !== undefined,
    attemptsInDoubt: effect === 'unflagged' ? 1 : maxAttempts,
    onTimeout: verdictOn(FAILURES.timeout),
    onRateLimit: verdictOn(FAILURES.rateLimit),
    onRateLimitUnseen: verdictOn(FAILURES.rateLimitUnseen),
    onLostWorker: verdictOn(FAILURES.lostWorker),
    namesIntent: definition.intent !== undefined,
    asks: typeof needsApproval === 'function' ? 'sometimes' : needsApproval ? 'always' : 'never',
    onRepeat: typeof onRepeat === 'function' ? 'decides' : onRepeat,
    keyValidForMs: definition.keyValidForMs ?? null,
    callsOff: definition.cancel !== undefined,
  };
}
