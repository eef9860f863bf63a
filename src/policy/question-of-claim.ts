import type { OutcomeQuestion } from '../contracts/question.ts';
import type { KeyState, OpenClaim } from './fold-key.ts';
import { landsUntil } from './lands-until.ts';
import { knowsKey, RECORD_GRACE_MS } from './ledger-times.ts';
import { needOf } from './need-of.ts';
import { questionId } from './stable-id.ts';

/**
 * The question that an open key asks, read from the ledger alone: for runs that are closed, or cannot answer. Undefined
 * while its worker may still be at it, and for idempotent tools, whose doubt harms nobody. `now` in epoch milliseconds.
 */
export function questionOfKey(state: KeyState, now: number): OutcomeQuestion | undefined {
  if (state.is !== 'open') return undefined;
  const open = state.claims.findLast((claim) => isAsking(claim, now));
  return open && questionOf(open);
}

function isAsking({ claim, lost }: OpenClaim, now: number): boolean {
  const harms = claim.effect === 'unflagged' || claim.effect === 'by-key' || !knowsKey(claim, now);
  return harms && (lost !== undefined || now >= claim.sendBy + RECORD_GRACE_MS);
}

function questionOf(open: OpenClaim): OutcomeQuestion {
  const { claim, lost } = open;
  const { run, call, generation, tool, key, input, digest, at, sendBy, holder, amount } = claim;
  const since = lost?.at ?? sendBy;
  return {
    id: questionId(key, generation),
    kind: 'outcome',
    run,
    call,
    tool,
    key,
    input,
    digest: digest.slice(0, 16),
    since,
    sentAt: at,
    horizon: landsUntil(open),
    claim: claim.claim,
    // Whether the tool can look for itself is not in the ledger.
    known: [
      lost?.failure.message ?? `Worker ${holder} has not said what happened.`,
      'Ledger: claimed, no outcome recorded.',
    ],
    ...(amount !== undefined && { amount }),
    ...(needOf(amount, claim.quorum) > 1 && { need: needOf(amount, claim.quorum) }),
    ...(lost && { failure: lost.failure }),
  };
}
