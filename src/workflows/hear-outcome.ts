import type { ResolveOutcome } from '../contracts/messages.ts';
import { acceptDecision } from '../policy/accept-decision.ts';
import type { Hearing } from './hear-decision.ts';
import type { Run } from './run.ts';

/** Decisions on unknown outcomes. The ledger has the last word on them. */
export const OUTCOMES: Hearing<ResolveOutcome> = {
  judge(run, message) {
    const { questions } = run;
    return acceptDecision(message, {
      questions,
      decisions: [...run.decisions, ...standing(run, message)],
      now: Date.now(),
    });
  },
  keep(run, message) {
    run.inbox = [...run.inbox, message];
  },
};

/**
 * One already on its way counts as standing: the second one that differs is refused at once. Not where several people must agree,
 * or where decisions must be signed and this one may be anybody's: then each is heard, and the ledger keeps them apart.
 */
function standing({ questions, inbox, card }: Run, message: Partial<ResolveOutcome> | undefined) {
  const needsMore = questions.some(({ id, need = 1 }) => id === message?.question && need > 1);
  return needsMore || card?.signed ? [] : inbox.map((one) => ({ ...one, settledBy: 'person' }) as const);
}
