import type { ApprovalRule } from '../contracts/approval.ts';
import type { LedgerRecord } from '../contracts/ledger.ts';
import type { DecideApproval, ResolveOutcome } from '../contracts/messages.ts';
import { nextGeneration } from './fold-key.ts';
import { isOwn, type CallIdentity } from './own-record.ts';
import { personOf } from './same-person.ts';

/** What stands between a call and its first attempt. */
export interface Gate {
  /** Why somebody must agree; empty: nobody need. */
  readonly because: readonly string[];
  /** How many different people must agree. */
  readonly need: number;
  /** Remembered approvals that fit the arguments. Each counts as a word of whoever made it. */
  readonly rules: readonly ApprovalRule[];
  /** The tool's author will not have it, whoever agrees: why. */
  readonly blocked?: string;
}

/**
 * - `given`: by the decisions and rules named in `permits`.
 * - `edited`: somebody agreed to other arguments, which make another call.
 * - `asked`: not enough people have agreed to this generation of the action; `have` names those who did.
 */
export type Leave =
  | { readonly is: 'given'; readonly permits: readonly string[] }
  | { readonly is: 'blocked'; readonly message: string }
  | { readonly is: 'denied'; readonly decision: DecideApproval }
  | { readonly is: 'edited'; readonly decision: DecideApproval }
  | {
      readonly is: 'asked';
      readonly have: readonly string[];
      readonly need: number;
      readonly generation: number;
    };

/**
 * Whether people have agreed to a call, by the records of its key. A word counts only for the call it was given about and
 * only with the arguments that were shown, and is used up with the generation: another call of the same action, and the same
 * one once it has been settled as not having happened, are asked about again.
 */
export function weighLeave(
  records: readonly LedgerRecord[],
  call: CallIdentity & { readonly digest: string },
  { because, need, rules, blocked }: Gate,
): Leave {
  if (blocked !== undefined) return { is: 'blocked', message: blocked };
  if (because.length === 0) return { is: 'given', permits: [] };
  const words = approvalsOf(records, call);
  const denied = words.find(({ verdict }) => verdict === 'deny');
  if (denied) return { is: 'denied', decision: denied };
  const edited = words.find(({ input }) => input !== undefined);
  if (edited) return { is: 'edited', decision: edited };
  const agreed = new Map([...rules, ...words].map(({ by, id }) => [personOf(by), { by, id }]));
  if (agreed.size >= need) return { is: 'given', permits: [...agreed.values()].map(({ id }) => id) };
  return { is: 'asked', have: [...agreed.values()].map(({ by }) => by), need, generation: nextGeneration(records) };
}

/** Everything people said on the approval of this very call with these very arguments, oldest first. */
export function approvalsOf(
  records: readonly LedgerRecord[],
  call: CallIdentity & { readonly digest: string },
): readonly DecideApproval[] {
  const generation = nextGeneration(records);
  return records
    .filter((record) => record.is === 'decided')
    .filter((record) => record.generation === generation && isOwn(record, call) && record.digest === call.digest)
    .map(({ decision }) => decision)
    .filter(isApproval);
}

/** A word on an approval, and not on an outcome. */
export function isApproval(decision: DecideApproval | ResolveOutcome): decision is DecideApproval {
  return decision.verdict === 'approve' || decision.verdict === 'deny';
}
