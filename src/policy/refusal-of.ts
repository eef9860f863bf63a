import type { Decider } from '../contracts/decider.ts';
import type { DecideApproval, ResolveOutcome } from '../contracts/messages.ts';
import type { Question } from '../contracts/question.ts';
import { verifySignature } from './decision-signature.ts';
import { mayDecide } from './may-decide.ts';
import { signedText } from './signed-text.ts';

/** A decision and where it is to count. */
export interface DecisionAtDoor {
  /** Undefined: nobody is asked who they are. */
  readonly deciders: readonly Decider[] | undefined;
  readonly namespace: string;
  readonly run: string;
  readonly agent: string;
  readonly question: Pick<Question, 'kind' | 'tool' | 'digest'>;
  readonly decision: DecideApproval | ResolveOutcome;
  /** A secret of the environment, by its variable's name. */
  readonly secretOf: (name: string) => string | undefined;
}

/** Why a decision does not count: not theirs to make, unsigned, or signed by somebody else. Undefined when it counts. */
export async function refusalOf(door: DecisionAtDoor): Promise<string | undefined> {
  const { deciders, namespace, run, agent, question, decision, secretOf } = door;
  if (deciders === undefined) return undefined;
  const { by, digest, signature } = decision;
  const { kind, tool } = question;
  const standing = mayDecide(deciders, { by, agent, tool, kind });
  if (standing.is === 'refused') return standing.why;
  // Without it the signer's word would hold for whatever the question has become since.
  if (signature !== undefined && digest === undefined) {
    return 'It is signed without the digest of what was shown. Sign it again, with the digest.';
  }
  const text = signedText({ namespace, run, kind }, decision);
  const verified = await verifySignature({ text, signature, decider: standing.decider, secretOf });
  return verified.is === 'valid' ? undefined : verified.why;
}
