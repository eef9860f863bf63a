import type { DecideApproval } from '../contracts/messages.ts';
import { acceptApproval } from '../policy/accept-approval.ts';
import { MOST_KEPT, type Hearing } from './hear-decision.ts';

/** Words of people on calls that wait for them. */
export const APPROVALS: Hearing<DecideApproval> = {
  judge: ({ questions, approvals }, message) => acceptApproval(message, { questions, heard: approvals }),
  keep(run, message) {
    run.approvals = [...run.approvals, message].slice(-MOST_KEPT);
  },
};
