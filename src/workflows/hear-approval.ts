import type { DecideApproval } from '../contracts/messages.ts';
import { acceptApproval } from '../policy/accept-approval.ts';
import type { Hearing } from './hear-decision.ts';

/** Words of people on calls that wait for them. */
export const APPROVALS: Hearing<DecideApproval> = {
  judge({ questions, approvals, card, expired }, message) {
    // Where words must be signed, one that is on its way may be anybody's, and keeps nobody from speaking.
    const judged = acceptApproval(message, { questions, heard: card?.signed ? [] : approvals });
    if (judged.is !== 'early' || !expired.includes(message.question)) return judged;
    return { is: 'refused', why: `Question ${message.question} has expired, and is asked again under another id.` };
  },
  keep(run, message) {
    run.approvals = [...run.approvals, message];
  },
};
