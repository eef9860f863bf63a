import type { RunnableCall } from '../contracts/plan.ts';
import type { Standing } from '../policy/ask-key.ts';
import { stricterEffect } from '../policy/effect-of.ts';
import { insist, isUnion } from './insist.ts';
import { activities, untilItHolds } from './proxies.ts';
import type { Call } from './call.ts';
import type { Run } from './run.ts';
import { ledgerView } from './run-facts.ts';
import { toolOf } from './tool-of.ts';

/** Asks the ledger what became of the call's last schedule; one that claimed nothing is withdrawn by the asking. */
export async function inquire(run: Run, call: Call, plan: RunnableCall): Promise<Standing> {
  const { key, tool } = plan;
  const effect = stricterEffect(toolOf(run, tool).effect, plan.effect);
  const about = { key, call: plan.call, schedule: call.schedule, tool, effect };
  const request = { ...run.identity, ...about, ledger: ledgerView(run) };
  const options = { ...untilItHolds, summary: `${tool} · what became of it?` };
  return insist(run, () => activities.askLedger.executeWithOptions(options, [request]), isUnion);
}
