import type { Effect } from '../contracts/effect.ts';
import type { Failure } from '../contracts/failure.ts';
import type { LedgerDecision, LedgerEntry, LedgerKey, LedgerRecord } from '../contracts/ledger.ts';
import { assertNever } from './assert-never.ts';
import { foldKey, type KeyState, type OpenClaim } from './fold-key.ts';
import { knowsKey, RECORD_GRACE_MS } from './ledger-times.ts';
import { isOwn } from './own-record.ts';

/** One schedule of a call, as the ledger is asked about it: by an attempt that wants to act, or by a run that lost sight of it. */
export interface Inquiry {
  readonly key: LedgerKey;
  readonly task: string;
  readonly run: string;
  readonly execution: string;
  readonly call: string;
  readonly schedule: number;
  readonly tool: string;
  readonly effect: Effect;
}

/**
 * What the ledger says of a call.
 *
 * - `never-began`: this schedule claimed nothing and never will: it is withdrawn.
 * - `again`: it claimed, and provably did nothing.
 * - `repeatable`: it may have acted, and may simply be repeated.
 * - `wait`: its worker may still be at it, or writing what became of it.
 * - `unknown`: it may have acted and nobody can say.
 */
export type Standing =
  | { readonly is: 'done'; readonly done: Extract<KeyState, { is: 'done' }> }
  | { readonly is: 'refused'; readonly message: string }
  | { readonly is: 'never-began' }
  | { readonly is: 'again' }
  | { readonly is: 'repeatable'; readonly open: OpenClaim }
  | { readonly is: 'wait'; readonly open: OpenClaim }
  | { readonly is: 'unknown'; readonly open: OpenClaim; readonly failure: Failure };

/**
 * Answers an inquiry and closes it in the same transaction: a schedule without a claim is withdrawn, so that a stalled
 * worker that claims a moment later is refused. A read alone would not do.
 */
export function askKey(records: readonly LedgerRecord[], inquiry: Inquiry, now: number): LedgerDecision<Standing> {
  const state = foldKey(records);
  const claimed = records
    .filter((r) => r.is === 'claimed')
    .find((r) => isOwn(r, inquiry) && r.schedule === inquiry.schedule);
  switch (state.is) {
    case 'done':
      return { append: [], answer: { is: 'done', done: state } };
    case 'closed':
      return { append: [], answer: { is: 'refused', message: `Reversed by ${state.record.decision.by}.` } };
    case 'failed':
      return { append: [], answer: { is: 'refused', message: state.record.message } };
    case 'free':
      return claimed ? { append: [], answer: { is: 'again' } } : withdraw(records, inquiry, state.generation, now);
    case 'open':
      return claimed ? askOpen(state, inquiry, now) : withdraw(records, inquiry, state.generation, now);
    default:
      return assertNever(state);
  }
}

function withdraw(
  records: readonly LedgerRecord[],
  inquiry: Inquiry,
  generation: number,
  now: number,
): LedgerDecision<Standing> {
  const isWithdrawn = records.some((r) => r.is === 'withdrawn' && isOwn(r, inquiry) && r.schedule === inquiry.schedule);
  const entry: LedgerEntry = { ...subjectOf(inquiry, generation, now), is: 'withdrawn', schedule: inquiry.schedule };
  return { append: isWithdrawn ? [] : [entry], answer: { is: 'never-began' } };
}

function askOpen(state: Extract<KeyState, { is: 'open' }>, inquiry: Inquiry, now: number): LedgerDecision<Standing> {
  // The newest own claim decides: older ones of a repeatable tool stay open behind it and change nothing.
  const open = state.claims.findLast(({ claim }) => isOwn(claim, inquiry));
  if (!open) return { append: [], answer: { is: 'again' } };
  const isKeyed = inquiry.effect === 'idempotent' || inquiry.effect === 'by-key';
  const isKnown = state.claims.every(({ claim }) => knowsKey(claim, now));
  if (isKeyed && isKnown && open.claim.effect === inquiry.effect)
    return { append: [], answer: { is: 'repeatable', open } };
  if (open.lost) return { append: [], answer: { is: 'unknown', open, failure: open.lost.failure } };
  if (now < open.claim.sendBy + RECORD_GRACE_MS) return { append: [], answer: { is: 'wait', open } };
  const failure: Failure = {
    kind: 'timed-out',
    delivery: 'maybe-sent',
    message: 'The worker that held the call was lost before it could say what happened.',
  };
  const { claim } = open;
  const entry: LedgerEntry = {
    ...subjectOf(inquiry, state.generation, now),
    is: 'unknown',
    claim: claim.claim,
    failure,
  };
  return { append: [entry], answer: { is: 'unknown', open, failure } };
}

function subjectOf({ key, task, run, execution, call, tool }: Inquiry, generation: number, at: number) {
  return { key, task, run, execution, call, tool, generation, at };
}
