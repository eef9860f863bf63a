import type { ApprovalRule } from '../contracts/approval.ts';
import { canonicalJson } from '../contracts/canonical-json.ts';
import type { DecideApproval } from '../contracts/messages.ts';

/** The rule that a word asks for, if any. It is made by the word that lets the call pass, and by no other. */
export function ruleOfWord(tool: string, { id, remember, by, reason }: DecideApproval): ApprovalRule | undefined {
  return remember && { id, tool, where: remember.where, by, reason };
}

/** Whether two records tell of one rule: one decision id may have made several. */
export function isSameRule(a: ApprovalRule, b: ApprovalRule): boolean {
  const gist = ({ id, tool, where, by, reason }: ApprovalRule) => canonicalJson([id, tool, where, by, reason]);
  return gist(a) === gist(b);
}
