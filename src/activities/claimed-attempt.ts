import type { Effect } from '../contracts/effect.ts';
import type { LedgerEntry, LedgerStatement } from '../contracts/ledger.ts';
import type { ToolRequest } from '../contracts/requests.ts';
import type { Tool } from '../contracts/tool.ts';
import type { Admission } from '../policy/admit.ts';
import type { Claim } from './claim-attempt.ts';

/** A claimed attempt: from here on the effect may exist. */
export interface ClaimedAttempt {
  readonly request: ToolRequest;
  readonly tool: Tool;
  readonly effect: Effect;
  readonly claim: Claim;
  readonly admission: Extract<Admission, { is: 'go' }>;
}

/** A statement about the attempt's claim, ready for the ledger. */
export function entryFor(
  { request, claim, admission, tool }: ClaimedAttempt,
  at: number,
  statement: LedgerStatement,
): LedgerEntry {
  const { plan, run, execution, task } = request;
  const subject = { key: plan.key, task, run, execution, call: plan.call, tool: tool.name };
  return { ...subject, generation: admission.generation, at: Math.max(at, claim.at), ...statement };
}
