import { canonicalJson } from '../contracts/canonical-json.ts';
import type { DecideApproval, ResolveOutcome } from '../contracts/messages.ts';
import type { Question } from '../contracts/question.ts';

/** Which question a decision answers: that of one run in one namespace. */
export interface Asked {
  readonly namespace: string;
  /** Workflow id. */
  readonly run: string;
  readonly kind: Question['kind'];
}

type Signed = Exclude<keyof ResolveOutcome | keyof DecideApproval, 'signature'>;

// A new field of either message does not compile until it is named here, and so signed.
const SIGNED: Readonly<Record<Signed, true>> = {
  id: true,
  question: true,
  digest: true,
  verdict: true,
  result: true,
  input: true,
  then: true,
  override: true,
  remember: true,
  by: true,
  reason: true,
  evidence: true,
};

/**
 * What a decider signs: canonical JSON of everything that counts in a decision, of where it counts, and of its own format, so
 * that it is nothing else's signature too. A field that is undefined is absent; `signature`, and what a store adds, is left
 * out. @throws TypeError for what JSON cannot carry.
 */
export function signedText({ namespace, run, kind }: Asked, message: ResolveOutcome | DecideApproval): string {
  const decision = Object.fromEntries(Object.entries(message).filter(([field]) => Object.hasOwn(SIGNED, field)));
  return canonicalJson({ format: 'holdfast-decision/1', namespace, run, kind, decision });
}
