import type { Envelope } from '../contracts/envelope.ts';
import { LedgerUnavailable } from '../contracts/ledger.ts';
import type { ToolRequest } from '../contracts/requests.ts';
import { weighLeave } from '../policy/weigh-leave.ts';
import { closedEnvelope } from './closed-envelope.ts';
import { endWithoutLeave } from './end-without-leave.ts';
import { gateOfPlan } from './gate-attempt.ts';
import type { ActivityPorts } from './ports.ts';
import { loadContent } from './store-content.ts';
import { retryFailure } from './throw-verdict.ts';

const LEDGER_WAIT_MS = 1_000;

/**
 * Lets a reading call pass that nobody need agree to, or that people have agreed to. It claims nothing; their words are found
 * under its key as for any other call. Returns how it ends where it does not pass yet. @throws ApplicationFailure when it may not be
 * made at all.
 */
export async function gateReader(ports: ActivityPorts, request: ToolRequest): Promise<Envelope | undefined> {
  const { plan } = request;
  if (!plan.because) return undefined;
  try {
    const input = await loadContent(ports.transcripts, plan.input);
    const gate = await gateOfPlan(ports, request, plan, input);
    const records = await ports.ledger.read({ key: plan.key });
    const leave = weighLeave(records, { ...request, call: plan.call, digest: plan.digest }, gate);
    return leave.is === 'given' ? undefined : await endWithoutLeave(ports, request, leave, gate);
  } catch (error) {
    if (!(error instanceof LedgerUnavailable)) throw error;
    const why = `Nothing was asked: ${error.message}`;
    throw retryFailure('LedgerUnavailable', why, closedEnvelope(request), { is: 'again', waitMs: LEDGER_WAIT_MS, why });
  }
}
