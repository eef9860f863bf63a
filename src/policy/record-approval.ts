import type { LedgerDecision, LedgerEntry, LedgerRecord } from '../contracts/ledger.ts';
import type { DecideApproval } from '../contracts/messages.ts';
import { describeApproval, isSameApproval } from './accept-approval.ts';
import { nextGeneration } from './fold-key.ts';
import type { CallIdentity } from './own-record.ts';
import { isSamePerson } from './same-person.ts';
import { approvalsOf, weighLeave, type Gate, type Leave } from './weigh-leave.ts';

/** `heard`: it stands, or stood already; `leave` is where the call is now. `stands`: something else holds. */
export type ApprovalRecorded =
  { readonly is: 'heard'; readonly leave: Leave } | { readonly is: 'stands'; readonly why: string };

/** The call that a word is about, as the ledger knows calls. */
export type ApprovalSubject = Omit<LedgerEntry, 'is' | 'at' | 'generation'> &
  CallIdentity & { readonly digest: string; readonly gate: Gate };

/**
 * Writes a person's word on a call, once each. Nobody takes back what they said, and nothing is added once it is decided:
 * whoever says otherwise is told what stands.
 */
export function recordApproval(
  records: readonly LedgerRecord[],
  { digest, gate, ...subject }: ApprovalSubject,
  decision: DecideApproval,
  now: number,
): LedgerDecision<ApprovalRecorded> {
  const call = { ...subject, digest };
  const before = weighLeave(records, call, gate);
  const words = approvalsOf(records, call);
  const own = words.find((word) => isSamePerson(word, decision));
  if (own) {
    const answer: ApprovalRecorded = isSameApproval(own, decision)
      ? { is: 'heard', leave: before }
      : { is: 'stands', why: describeApproval(own) };
    return { append: [], answer };
  }
  const standing = before.is === 'asked' ? undefined : words.at(-1);
  if (standing) return { append: [], answer: { is: 'stands', why: describeApproval(standing) } };
  const entry: LedgerEntry = {
    ...subject,
    generation: nextGeneration(records),
    at: now,
    is: 'decided',
    digest,
    decision,
  };
  const counter = (records.at(-1)?.counter ?? 0) + 1;
  return {
    append: [entry],
    answer: { is: 'heard', leave: weighLeave([...records, { ...entry, counter }], call, gate) },
  };
}
