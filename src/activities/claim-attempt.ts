import { activityInfo } from '@temporalio/activity';
import type { Effect } from '../contracts/effect.ts';
import { LedgerUnavailable, type LedgerRecord } from '../contracts/ledger.ts';
import type { ToolRequest } from '../contracts/requests.ts';
import type { Tool } from '../contracts/tool.ts';
import { admit, type Admission } from '../policy/admit.ts';
import type { Gate } from '../policy/weigh-leave.ts';
import { foreignLedger } from './check-ledger.ts';
import { closedEnvelope } from './closed-envelope.ts';
import { gateAttempt } from './gate-attempt.ts';
import type { ActivityPorts } from './ports.ts';
import { finalFailure } from './throw-verdict.ts';

export interface Claim {
  readonly id: string;
  readonly at: number;
  readonly sendBy: number;
  readonly admission: Admission;
  /** What stood before the attempt. */
  readonly gate: Gate;
  /** The record this attempt wrote; absent unless it may go. */
  readonly record: LedgerRecord | undefined;
}

/** How long the workflow sleeps before it schedules a call again that could not reach the ledger. */
const LEDGER_WAIT_MS = 1_000;

/**
 * Asks the ledger, and where need be people, for leave to act, and claims in the same transaction. Nothing has been sent before
 * it returns.
 * @throws ApplicationFailure `ForeignLedger` or `LedgerUnavailable`; then nothing was sent either.
 */
export async function claimAttempt(
  ports: ActivityPorts,
  request: ToolRequest,
  tool: Tool,
  effect: Effect,
): Promise<Claim> {
  try {
    const foreign = await foreignLedger(ports.ledger, request.task, request.ledger);
    if (foreign)
      throw finalFailure('ForeignLedger', foreign, closedEnvelope(request, { is: 'foreign-ledger', message: foreign }));
    const claim = await claimOnce(ports, { request, tool, effect });
    return claim.admission.is === 'repeats'
      ? await claimOnce(ports, { request, tool, effect, failed: claim.admission.failed })
      : claim;
  } catch (error) {
    if (!(error instanceof LedgerUnavailable)) throw error;
    const why = `Nothing was sent: ${error.message}`;
    throw finalFailure('LedgerUnavailable', why, closedEnvelope(request, { is: 'again', waitMs: LEDGER_WAIT_MS, why }));
  }
}

interface AttemptToClaim {
  readonly request: ToolRequest;
  readonly tool: Tool;
  readonly effect: Effect;
  /** The action had failed by another call: the tool's `onRepeat` is asked about it. */
  readonly failed?: Extract<LedgerRecord, { is: 'failed' }>;
}

async function claimOnce(ports: ActivityPorts, { request, tool, effect, failed }: AttemptToClaim): Promise<Claim> {
  const { plan, schedule, run, execution, task, maxAttempts } = request;
  const { activityId, attempt } = activityInfo();
  const id = `${activityId}.${attempt}.${crypto.randomUUID().slice(0, 8)}`;
  const gate = await gateAttempt(ports, request, tool, failed);
  const at = ports.now();
  const sendBy = at + tool.timeoutMs;
  const { answer, written } = await ports.ledger.decide(plan.key, (records) => {
    const { key, call, input, digest, amount } = plan;
    const { landsWithinMs, keyValidForMs } = tool;
    const subject = { key, task, run, execution, call, schedule, tool: tool.name, effect, maxAttempts, amount };
    const times = { sendBy, landsWithinMs, keyValidForMs };
    const secret = ports.keySecrets.current;
    const { signed, quorum = ports.approvals.quorum } = request;
    const leave = { gate, repeats: failed?.counter, secret, signed, quorum };
    return admit(records, { ...subject, ...times, ...leave, claim: id, holder: ports.holder, input, digest }, at);
  });
  return { id, at, sendBy, admission: answer, gate, record: written[0] };
}
