import { activityInfo } from '@temporalio/activity';
import type { Effect } from '../contracts/effect.ts';
import type { Envelope } from '../contracts/envelope.ts';
import { LedgerUnavailable, type LedgerRecord } from '../contracts/ledger.ts';
import type { ToolRequest } from '../contracts/requests.ts';
import type { Tool } from '../contracts/tool.ts';
import { admit, type Admission } from '../policy/admit.ts';
import { foreignLedger } from './check-ledger.ts';
import type { ActivityPorts } from './ports.ts';
import { finalFailure } from './throw-verdict.ts';

export interface Claim {
  readonly id: string;
  readonly at: number;
  readonly sendBy: number;
  readonly admission: Admission;
  /** The record this attempt wrote; absent unless it may go. */
  readonly record: LedgerRecord | undefined;
}

/** How long the workflow sleeps before it schedules a call again that could not reach the ledger. */
const LEDGER_WAIT_MS = 1_000;

/**
 * Asks the ledger for leave to act, and claims in the same transaction. Nothing has been sent before it returns.
 * @throws ApplicationFailure `ForeignLedger` or `LedgerUnavailable`; then nothing was sent either.
 */
export async function claimAttempt(
  ports: ActivityPorts,
  request: ToolRequest,
  tool: Tool,
  effect: Effect,
): Promise<Claim> {
  const { plan, schedule, run, execution, task, maxAttempts } = request;
  const id = `${activityInfo().activityId}.${activityInfo().attempt}.${crypto.randomUUID().slice(0, 8)}`;
  try {
    const foreign = await foreignLedger(ports.ledger, task, request.ledger);
    if (foreign)
      throw finalFailure('ForeignLedger', foreign, envelope(request, { is: 'foreign-ledger', message: foreign }));
    const at = ports.now();
    const sendBy = at + tool.timeoutMs;
    const { answer, written } = await ports.ledger.decide(plan.key, (records) => {
      const { holder } = ports;
      const { key, call, input, digest } = plan;
      const { landsWithinMs } = tool;
      const subject = { key, task, run, execution, call, schedule, tool: tool.name, effect, maxAttempts };
      return admit(records, { ...subject, claim: id, holder, sendBy, input, digest, landsWithinMs }, at);
    });
    return { id, at, sendBy, admission: answer, record: written[0] };
  } catch (error) {
    if (!(error instanceof LedgerUnavailable)) throw error;
    const why = `Nothing was sent: ${error.message}`;
    throw finalFailure('LedgerUnavailable', why, envelope(request, { is: 'again', waitMs: LEDGER_WAIT_MS, why }));
  }
}

function envelope({ plan, schedule }: ToolRequest, verdict: NonNullable<Envelope['verdict']>): Envelope {
  return { hf: 1, call: plan.call, schedule, closed: 0, open: null, verdict };
}
