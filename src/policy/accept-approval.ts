import { canonicalJson, isPlainObject } from '../contracts/canonical-json.ts';
import type { DecideApproval } from '../contracts/messages.ts';
import type { ApprovalQuestion, Question } from '../contracts/question.ts';
import { faultOfDecision, faultOfDigest } from './fault-of-decision.ts';
import { isSamePerson } from './same-person.ts';

/** As for outcomes: `early` is kept for when its question comes, `refused` uses up nothing. */
export type ApprovalAcceptance =
  | { readonly is: 'accepted'; readonly question: ApprovalQuestion }
  | { readonly is: 'same' }
  | { readonly is: 'early' }
  | { readonly is: 'refused'; readonly why: string };

export interface ApprovalBench {
  readonly questions: readonly Question[];
  /** Words that are on their way into the ledger. */
  readonly heard: readonly DecideApproval[];
}

const VERDICTS = ['approve', 'deny'];

/** Judges a person's word on a call that waits for it. Pure: the update's validator and the signal's handler both ask it. */
export function acceptApproval(message: DecideApproval, { questions, heard }: ApprovalBench): ApprovalAcceptance {
  const fault = faultOfDecision(message, VERDICTS) ?? faultOfApproval(message);
  if (fault) return { is: 'refused', why: fault };
  const standing = heard.find((word) => word.question === message.question && isSamePerson(word, message));
  if (standing) {
    if (isSameApproval(standing, message)) return { is: 'same' };
    return { is: 'refused', why: `${describeApproval(standing)} That stands.` };
  }
  const question = questions.find(({ id }) => id === message.question);
  if (!question) return { is: 'early' };
  if (question.kind !== 'approval') {
    return {
      is: 'refused',
      why: `Question ${question.id} is about an unknown outcome. Answer it with "resolveOutcome".`,
    };
  }
  const misread = faultOfDigest(message.digest, question);
  return misread ? { is: 'refused', why: misread } : { is: 'accepted', question };
}

function faultOfApproval({ verdict, input, remember }: Partial<DecideApproval>): string | undefined {
  if (verdict === 'deny' && (input !== undefined || remember !== undefined)) {
    return '"input" and "remember" go with "approve" only. Leave them out, or approve.';
  }
  if (input !== undefined && !isPlainObject(input)) {
    return `"input" is ${JSON.stringify(input)}. Write all arguments of the call as a JSON object.`;
  }
  if (remember !== undefined && !isPlainObject((remember as Partial<typeof remember> | null)?.where)) {
    return '"remember" is not { "where": { argument: value } }. An empty "where" holds for any arguments.';
  }
  if (input !== undefined && remember !== undefined) {
    return 'Edited arguments are for this call only: "input" and "remember" do not go together.';
  }
  return undefined;
}

/** The same again is fine, whatever reason and id it comes with. */
export function isSameApproval(a: DecideApproval, b: DecideApproval): boolean {
  const gist = ({ verdict, input, remember }: DecideApproval) =>
    canonicalJson([verdict, input ?? null, remember?.where ?? null]);
  return isSamePerson(a, b) && gist(a) === gist(b);
}

/** Who said what, and why: for whoever says otherwise. */
export function describeApproval({ by, verdict, input, reason }: DecideApproval): string {
  const said = verdict === 'deny' ? 'denied it' : input === undefined ? 'approved it' : 'approved other arguments';
  return `${by} ${said}: ${reason}.`;
}
