import type { DecideApproval, ResolveOutcome } from '../../../src/contracts/messages.ts';

/** A decision of either kind. */
export type Word = ResolveOutcome | DecideApproval;

/**
 * One decision that was sent, and what came back: evidence for the auditor. `as`: `truth` is what the payments database says,
 * or the approval of what was shown; the others must be refused, whoever is asked. `answer.is: 'none'`: the server or the
 * worker was away; it may or may not have arrived.
 */
export interface Said {
  readonly as: 'truth' | 'wrong-digest' | 'wrong-question' | 'second-opinion';
  readonly id: string;
  /** The question as it was shown, and the one the decision names. */
  readonly shown: string;
  readonly shownDigest: string;
  readonly question: string;
  readonly digest: string;
  readonly verdict: Word['verdict'];
  readonly at: number;
  readonly answer: Answer;
}

export interface Answer {
  readonly is: 'accepted' | 'same' | 'refused' | 'none' | 'signalled';
  readonly text: string;
}
