import type { CallVerdict, Envelope } from '../contracts/envelope.ts';
import type { DecideApproval } from '../contracts/messages.ts';
import type { RunnableCall } from '../contracts/plan.ts';
import type { ToolRequest } from '../contracts/requests.ts';
import { assertNever } from '../policy/assert-never.ts';
import { recordApproval } from '../policy/record-approval.ts';
import { deniedReply } from '../policy/reply-for.ts';
import type { Gate, Leave } from '../policy/weigh-leave.ts';
import { closedEnvelope } from './closed-envelope.ts';
import { editCall } from './edit-call.ts';
import type { ActivityPorts } from './ports.ts';
import { finalFailure, type FailureType } from './throw-verdict.ts';

/**
 * Ends an attempt that nobody, or not everybody, has agreed to. Nothing was sent. To wait for people is no failure, and is returned.
 * @throws ApplicationFailure when the call will not be made.
 */
export async function endWithoutLeave(
  ports: ActivityPorts,
  request: ToolRequest,
  leave: Exclude<Leave, { is: 'given' }>,
  gate: Gate,
): Promise<Envelope> {
  switch (leave.is) {
    case 'asked': {
      const { because, need } = gate;
      const { expiresMs } = ports.approvals;
      const { have, generation } = leave;
      return closedEnvelope(request, { is: 'ask', because, need, have, expiresMs, generation });
    }
    case 'denied': {
      const reply = deniedReply(leave.decision);
      throw end(request, 'ToolFailed', reply.message, { is: 'told', reply });
    }
    case 'blocked': {
      const reply = { status: 'blocked', message: leave.message, retryable: false } as const;
      throw end(request, 'ToolFailed', leave.message, { is: 'told', reply });
    }
    case 'edited':
      return endEdited(ports, request, leave.decision);
    default:
      return assertNever(leave);
  }
}

/** The word on the old call is on record under the new one too before the run hears of it: the new one needs it. */
async function endEdited(ports: ActivityPorts, request: ToolRequest, decision: DecideApproval): Promise<Envelope> {
  const edited = await editCall(ports, request, decision);
  if ('problem' in edited) {
    const message = `${decision.by} approved other arguments, and they were not accepted: ${edited.problem}`;
    throw end(request, 'ToolFailed', message, { is: 'told', reply: { status: 'failed', message, retryable: true } });
  }
  await agreeToEdited(ports, request, edited, decision);
  return closedEnvelope(request, { is: 'edited', plan: edited });
}

async function agreeToEdited(
  { ledger, now }: ActivityPorts,
  { task, run, execution }: ToolRequest,
  { key, call, tool, digest }: RunnableCall,
  { input: _, ...agreed }: DecideApproval,
): Promise<void> {
  const subject = { key, task, run, execution, call, tool, digest };
  const gate = { because: ['its arguments were changed'], need: 1, rules: [] };
  await ledger.decide(key, (records) => recordApproval(records, { ...subject, gate }, agreed, now()));
}

const end = (request: ToolRequest, type: FailureType, message: string, verdict: CallVerdict) =>
  finalFailure(type, message, closedEnvelope(request, verdict));
