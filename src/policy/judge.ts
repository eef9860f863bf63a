import type { Effect } from '../contracts/effect.ts';
import type { Delivery, Failure } from '../contracts/failure.ts';
import { assertNever } from './assert-never.ts';

/**
 * What follows from a failed attempt.
 *
 * - `retry`: again, with the same key and the same arguments.
 * - `tell-model`: the call ends here. `maySend`: the intent stays free; `mayHaveApplied`: it may have acted and, the tool
 *   being idempotent, may be repeated.
 * - `unknown`: it may have acted and nobody here can say: a question.
 * - `cancelled`: ended on request, and nothing happened.
 */
export type Verdict =
  | { readonly is: 'retry' }
  | { readonly is: 'tell-model'; readonly status: 'failed' | 'unavailable'; readonly mayHaveApplied: boolean }
  | { readonly is: 'unknown' }
  | { readonly is: 'cancelled' };

export interface Judgement {
  readonly failure: Failure;
  readonly effect: Effect;
  /** The worst delivery of any attempt of this call, this one included, as the ledger has them. */
  readonly worst: Delivery;
  /** True when no further attempt is allowed: attempts or time are used up. */
  readonly spent: boolean;
}

const RETRY: Verdict = { is: 'retry' };
const UNKNOWN: Verdict = { is: 'unknown' };
const tell = (status: 'failed' | 'unavailable', mayHaveApplied = false): Verdict => ({
  is: 'tell-model',
  status,
  mayHaveApplied,
});

/** The table of README, "What happens when a tool call fails": kind and delivery of the failure against the tool's flags. */
export function judge(judgement: Judgement): Verdict {
  return judgement.effect === 'read-only' ? judgeReader(judgement) : judgeWriter(judgement);
}

function judgeReader({ failure, spent }: Judgement): Verdict {
  switch (failure.kind) {
    case 'transient':
    case 'timed-out':
    case 'unreadable':
      return spent ? tell('unavailable') : RETRY;
    case 'held-back':
      return tell('unavailable');
    case 'permanent':
    case 'thrown':
    case 'in-progress':
    case 'key-reused':
      return tell('failed');
    case 'cancelled':
      return { is: 'cancelled' };
    default:
      return assertNever(failure.kind);
  }
}

function judgeWriter({ failure, effect, worst, spent }: Judgement): Verdict {
  const sure = failure.delivery !== 'maybe-sent';
  switch (failure.kind) {
    case 'transient':
      // An earlier attempt may have acted: what the last one did not do says nothing of that one.
      if (sure && effect === 'unflagged' && worst === 'maybe-sent') return UNKNOWN;
      if (sure && !spent) return RETRY;
      return sure ? afterLast(effect, worst, 'unavailable') : again(effect, spent);
    case 'held-back':
      // As if nothing were left to try with: what was sent before decides.
      return worst === 'maybe-sent' && effect === 'unflagged' ? UNKNOWN : afterLast(effect, worst, 'unavailable');
    case 'timed-out':
    case 'unreadable':
    case 'in-progress':
      return again(effect, spent);
    case 'permanent':
    case 'thrown':
      return sure ? afterLast(effect, worst, 'failed') : doubtful(effect, 'failed');
    case 'key-reused':
      return UNKNOWN;
    case 'cancelled':
      return worst === 'maybe-sent' ? doubtful(effect, 'failed') : { is: 'cancelled' };
    default:
      return assertNever(failure.kind);
  }
}

/** Lost sight of an attempt that may have acted: only a tool that may be repeated tries again. */
function again(effect: Effect, spent: boolean): Verdict {
  if (effect === 'unflagged') return UNKNOWN;
  return spent ? doubtful(effect, 'unavailable') : RETRY;
}

/** The last attempt provably did nothing; an earlier one may have. */
function afterLast(effect: Effect, worst: Delivery, status: 'failed' | 'unavailable'): Verdict {
  return worst === 'maybe-sent' ? doubtful(effect, status) : tell(status);
}

/** The call ends and may have acted: fine to say so where a repetition is harmless, a question everywhere else. */
function doubtful(effect: Effect, status: 'failed' | 'unavailable'): Verdict {
  return effect === 'idempotent' ? tell(status, true) : UNKNOWN;
}
