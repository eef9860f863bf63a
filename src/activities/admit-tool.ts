import type { Failure } from '../contracts/failure.ts';
import { REFUSAL_WORDS, toolKey } from '../contracts/shared-limits.ts';
import type { Tool } from '../contracts/tool.ts';
import { countsAgainst } from '../policy/counts-against.ts';
import { parkWaitMs } from '../policy/park-wait.ts';
import type { ActivityPorts } from './ports.ts';

/** Whether the limits that all agents of the worker share let an attempt of a tool go. `report` is called once, at its end. */
export type ToolAdmission =
  | { readonly is: 'admitted'; readonly report: (failure?: Failure) => void }
  | { readonly is: 'held-back'; readonly failure: Failure };

/** Asked before the body of every attempt; `attempt` counts those of the call that sent something. */
export async function admitTool(
  { limits, dice }: Pick<ActivityPorts, 'limits' | 'dice'>,
  { name, timeoutMs, breaks }: Tool,
  attempt: number,
): Promise<ToolAdmission> {
  if (!breaks) return { is: 'admitted', report: () => undefined };
  const key = toolKey(name);
  const admission = await limits.admit(key, { reason: attempt > 1 ? 'retry' : 'first', timeoutMs });
  if (admission.is === 'refused') {
    const waitMs = parkWaitMs(admission, dice());
    const message = `${name} was not called: ${REFUSAL_WORDS[admission.why]}.`;
    return { is: 'held-back', failure: { kind: 'held-back', delivery: 'not-sent', message, waitMs } };
  }
  const report = (failure?: Failure) => {
    const how = failure === undefined ? 'success' : countsAgainst(failure) ? 'failure' : 'neutral';
    // An attempt that cannot report counts as lost after its own time.
    limits.report(key, admission.ticket, how).catch(() => undefined);
  };
  return { is: 'admitted', report };
}
