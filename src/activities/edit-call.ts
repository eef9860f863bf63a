import { storedFromBytes } from '../contracts/content.ts';
import type { Json } from '../contracts/json.ts';
import type { PlannedCall, RunnableCall } from '../contracts/plan.ts';
import type { RunIdentity } from '../contracts/requests.ts';
import type { DecideApproval } from '../contracts/messages.ts';
import { findAgent } from './find-tool.ts';
import { planCall, refuseFor } from './plan-call.ts';
import type { ActivityPorts } from './ports.ts';

/** The call that somebody edits, where it stands. */
export interface CallToEdit extends RunIdentity {
  readonly turn: number;
  readonly callsInTurn: number;
  readonly plan: RunnableCall;
}

/**
 * The new call that edited arguments make, judged again from its schema on. It answers the model in the place of the old one
 * and is known by an id of its own, so that no word on the one counts for the other. `problem`: it cannot be made.
 */
export async function editCall(
  ports: ActivityPorts,
  { plan, turn, callsInTurn, ...identity }: CallToEdit,
  { by, input = null }: Pick<DecideApproval, 'by' | 'input'>,
): Promise<RunnableCall | { readonly problem: string }> {
  const agent = findAgent(ports.agents, identity.agent);
  if (!agent) return { problem: `this worker knows no agent "${identity.agent}"` };
  const call = `${plan.call}e`;
  // Nothing like it came before: whoever edits it means this one call.
  const prior = { countEqual: () => 0, failuresOf: () => 0 };
  const raw = {
    call,
    toolCallId: plan.toolCallId,
    tool: plan.tool,
    input: JSON.stringify(input satisfies Json),
    fromBytes: storedFromBytes(callsInTurn),
  };
  const planning = { ports, identity, turn, agent, prior, unnamedAs: call };
  const planned: PlannedCall = await planCall(planning, raw).catch((error: unknown) => refuseFor(raw, error));
  if (planned.is === 'answered') return { problem: planned.reply.message ?? 'they were not accepted' };
  if (planned.is !== 'runnable') return { problem: `${plan.tool} takes no arguments that could be edited` };
  return { ...planned, editedBy: by, because: [...(planned.because ?? []), `${by} changed the arguments`] };
}
