import type { LeaveRequest } from '../contracts/requests.ts';
import { weighLeave, type Leave } from '../policy/weigh-leave.ts';
import { refuseForeign } from './check-ledger.ts';
import { approvalSubject } from './decide-approval.ts';
import type { ActivityPorts } from './ports.ts';

/** What people have said on a call, as the ledger has it: after a reset they need not say it again. Reads only. */
export async function readLeave(ports: ActivityPorts, request: LeaveRequest): Promise<Leave> {
  await refuseForeign(ports, request.task, request.ledger);
  const subject = await approvalSubject(ports, request);
  return weighLeave(await ports.ledger.read({ key: subject.key }), subject, subject.gate);
}
