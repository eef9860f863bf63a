import type { Amount } from '../contracts/amount.ts';
import type { Quorum } from '../contracts/approval.ts';
import type { Content } from '../contracts/content.ts';
import type { Delivery } from '../contracts/failure.ts';
import type { LedgerDecision, LedgerEntry, LedgerRecord } from '../contracts/ledger.ts';
import { assertNever } from './assert-never.ts';
import type { Inquiry } from './ask-key.ts';
import { isOwn } from './own-record.ts';
import { foldKey, type ClaimRecord, type KeyState, type OpenClaim } from './fold-key.ts';
import { knowsKey, RECORD_GRACE_MS } from './ledger-times.ts';
import { weighLeave, type Gate, type Leave } from './weigh-leave.ts';

/** One attempt of a writing tool that asks to act. Times are epoch milliseconds. */
export interface ClaimRequest extends Inquiry {
  readonly claim: string;
  readonly holder: string;
  readonly sendBy: number;
  readonly input: Content;
  readonly digest: string;
  readonly landsWithinMs: number;
  readonly keyValidForMs: number | undefined;
  readonly maxAttempts: number;
  /** Name of the secret for keys that have none yet. */
  readonly secret: string | undefined;
  readonly amount: Amount | null | undefined;
  readonly gate: Gate;
  /** What the run asks of decisions. */
  readonly signed: boolean;
  readonly quorum: Quorum | undefined;
  /** Counter of the `failed` record of another call that the tool's `onRepeat` has been asked about. */
  readonly repeats: number | undefined;
}

/**
 * The ledger's answer.
 *
 * - `go`: claimed; send exactly `input`. `attempt` counts this call's attempts that sent something, this one included.
 * - `recorded`: it is done; nothing is sent. `sameInput` is false when other arguments had been applied.
 * - `refused`: the key is closed, or its tool said no: nothing is sent.
 * - `wait`: somebody may be at it: an earlier attempt of this call, or another call.
 * - `unknown`: it may have acted and nobody can say.
 * - `spent`: no attempt left.
 * - `repeats`: the action had failed; the tool's `onRepeat` says what follows.
 * - `leave`: people have not agreed to it, or not to these arguments.
 * - `withdrawn`: this schedule was given up before it claimed.
 */
export type Admission =
  | {
      readonly is: 'go';
      readonly generation: number;
      readonly input: Content;
      readonly sameInput: boolean;
      readonly attempt: number;
      readonly worst: Delivery;
      /** Name of the secret that the wire key is made with; undefined: none. */
      readonly secret: string | undefined;
    }
  | { readonly is: 'recorded'; readonly done: Extract<KeyState, { is: 'done' }>; readonly sameInput: boolean }
  | { readonly is: 'refused'; readonly message: string; readonly own: boolean }
  | { readonly is: 'wait' }
  | { readonly is: 'unknown'; readonly open: OpenClaim }
  | { readonly is: 'spent'; readonly worst: Delivery; readonly open: OpenClaim | undefined }
  | { readonly is: 'repeats'; readonly failed: Extract<KeyState, { is: 'failed' }>['record'] }
  | { readonly is: 'leave'; readonly leave: Exclude<Leave, { is: 'given' }> }
  | { readonly is: 'withdrawn' };

/** Decides whether an attempt may act, judging by the key's records and never by the attempt's number. */
export function admit(records: readonly LedgerRecord[], request: ClaimRequest, now: number): LedgerDecision<Admission> {
  const isWithdrawn = records.some((r) => r.is === 'withdrawn' && isOwn(r, request) && r.schedule === request.schedule);
  if (isWithdrawn) return answer({ is: 'withdrawn' });
  const state = foldKey(records);
  switch (state.is) {
    case 'done':
      return answer({ is: 'recorded', done: state, sameInput: state.claim.digest === request.digest });
    case 'closed':
      return answer({
        is: 'refused',
        own: false,
        message: `Reversed by ${state.record.decision.by}: not to be done again.`,
      });
    case 'failed':
      return admitToFailed(state, request, records, now);
    case 'free':
      return claim(request, records, state.generation, undefined, now);
    case 'open':
      return admitToOpen(state, request, records, now);
    default:
      return assertNever(state);
  }
}

/** Its own `no` is the call's result; after that of another call it may be tried anew, if the tool's author lets it. */
function admitToFailed(
  { record }: Extract<KeyState, { is: 'failed' }>,
  request: ClaimRequest,
  records: readonly LedgerRecord[],
  now: number,
): LedgerDecision<Admission> {
  if (isOwn(record, request)) return answer({ is: 'refused', own: true, message: record.message });
  if (request.repeats !== record.counter) return answer({ is: 'repeats', failed: record });
  return claim(request, records, record.generation + 1, undefined, now);
}

function admitToOpen(
  state: Extract<KeyState, { is: 'open' }>,
  request: ClaimRequest,
  records: readonly LedgerRecord[],
  now: number,
): LedgerDecision<Admission> {
  const mayRepeat = state.claims.every(({ claim: c }) => mayActAgain(c, request, now));
  if (mayRepeat) return claim(request, records, state.generation, state.claims[0], now);
  const unsettled = state.claims.find(({ lost }) => lost) ?? state.claims.find((open) => settlesBy(open) <= now);
  if (unsettled) return answer({ is: 'unknown', open: unsettled });
  return answer({ is: 'wait' });
}

/** Idempotent tools repeat freely; a receiver that knows our key is asked again by the call that holds the claim. */
function mayActAgain(held: ClaimRecord, request: ClaimRequest, now: number): boolean {
  if (held.effect !== request.effect || !knowsKey(held, now)) return false;
  return held.effect === 'idempotent' || (held.effect === 'by-key' && isOwn(held, request));
}

/** Until then the claim's own worker may still be writing what became of it. */
const settlesBy = ({ claim }: OpenClaim): number => claim.sendBy + RECORD_GRACE_MS;

function claim(
  request: ClaimRequest,
  records: readonly LedgerRecord[],
  generation: number,
  open: OpenClaim | undefined,
  now: number,
): LedgerDecision<Admission> {
  const sent = attemptsSent(records, request, generation);
  const held = open?.claim;
  const worst: Delivery = held ? 'maybe-sent' : sent > 0 ? 'refused' : 'not-sent';
  if (sent >= request.maxAttempts) return answer({ is: 'spent', worst, open });
  const input = held?.input ?? request.input;
  const digest = held?.digest ?? request.digest;
  const leave = isLetThrough(records, request, { generation, digest })
    ? PASSED
    : weighLeave(records, request, request.gate);
  if (leave.is !== 'given') return answer({ is: 'leave', leave });
  const { key, task, run, execution, call, tool, schedule, claim: id, holder, sendBy, landsWithinMs, effect } = request;
  const { keyValidForMs, amount, signed, quorum } = request;
  const { permits } = leave;
  const first = records.find((r) => r.is === 'claimed');
  const secret = first ? first.secret : request.secret;
  const subject = { key, task, run, execution, call, tool, generation, at: now };
  const entry: LedgerEntry = {
    ...subject,
    is: 'claimed',
    claim: id,
    schedule,
    holder,
    sendBy,
    input,
    digest,
    landsWithinMs,
    effect,
    ...(keyValidForMs !== undefined && { keyValidForMs }),
    ...(secret !== undefined && { secret }),
    ...(amount !== undefined && { amount }),
    ...(signed && { signed }),
    ...(quorum && { quorum }),
    ...(permits.length > 0 && { permits }),
  };
  const sameInput = digest === request.digest;
  return {
    append: [entry],
    answer: { is: 'go', generation, input, sameInput, attempt: sent + 1, worst, secret },
  };
}

/** A call that has begun needs no second word for its further attempts, nor for the attempt that a person ordered of it. */
function isLetThrough(
  records: readonly LedgerRecord[],
  request: ClaimRequest,
  { generation, digest }: { readonly generation: number; readonly digest: string },
): boolean {
  const begun = records.filter((r) => r.is === 'claimed').filter((r) => isOwn(r, request) && r.digest === digest);
  const state = foldKey(records);
  const ordered =
    state.is === 'free' && state.settled?.decision.then === 'retry' ? state.settled.generation : undefined;
  return begun.some((claimed) => claimed.generation === generation || claimed.generation === ordered);
}

const PASSED: Extract<Leave, { is: 'given' }> = { is: 'given', permits: [] };

/** Attempts of this call in one generation that sent something, or may have. A person's order starts the count anew. */
function attemptsSent(records: readonly LedgerRecord[], request: ClaimRequest, generation: number): number {
  const unsent = records.filter((r) => r.is === 'not-executed').filter((r) => !r.sent);
  return records
    .filter((r) => r.is === 'claimed' && r.generation === generation && isOwn(r, request))
    .filter((r) => r.is === 'claimed' && !unsent.some(({ claim }) => claim === r.claim)).length;
}

const answer = (admission: Admission): LedgerDecision<Admission> => ({ append: [], answer: admission });
