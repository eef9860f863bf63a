import type { LanguageModelV4Message } from '@ai-sdk/provider';
import type { Agent } from '../contracts/agent.ts';
import { storedFromBytes } from '../contracts/content.ts';
import type { ModelPlan, PlannedCall } from '../contracts/plan.ts';
import type { ModelRequest } from '../contracts/requests.ts';
import { RUN_DEFAULTS } from '../policy/define-agent.ts';
import type { AskedCall } from './collect-reply.ts';
import { countPriorCalls } from './count-prior-calls.ts';
import { planCall, refuseFor, type Planning } from './plan-call.ts';
import type { ActivityPorts } from './ports.ts';

/** What a reply asks for; `stuck` when it only repeats what has failed again and again. */
export type Plan = Pick<ModelPlan, 'calls' | 'stuck'>;

/**
 * Turns the calls of a reply into a plan: validated arguments, digest, intent, and whether somebody must agree. Schemas and
 * the author's functions of the input run here. A call that cannot run is answered at once; nothing is claimed for it.
 */
export async function planCalls(
  ports: ActivityPorts,
  request: ModelRequest,
  agent: Agent,
  calls: readonly AskedCall[],
  before: readonly LanguageModelV4Message[],
): Promise<Plan> {
  const fromBytes = storedFromBytes(calls.length);
  const prior = await countPriorCalls(before, agent.tools);
  const planning: Planning = { ports, identity: request, turn: request.turn, agent, prior };
  const planned: PlannedCall[] = [];
  for (const [position, call] of calls.entries()) {
    const raw = { ...call, call: `t${request.turn}c${position}`, fromBytes };
    planned.push(await planCall(planning, raw).catch((error: unknown) => refuseFor(raw, error)));
  }
  const stuck = planned.map((plan, at) => whyStuck(plan, calls[at], planning)).find((why) => why !== undefined);
  return { calls: planned, ...(stuck !== undefined && { stuck }) };
}

/** A call that cannot run asks nobody: after some repetitions only the run's end stops it. */
function whyStuck(plan: PlannedCall, raw: AskedCall | undefined, { prior, agent }: Planning): string | undefined {
  if (plan.is !== 'answered' || !raw) return undefined;
  const failures = prior.failuresOf(raw);
  if (failures < (agent.limits?.equalFailures ?? RUN_DEFAULTS.equalFailures)) return undefined;
  return `The model made the same call of ${raw.tool} ${failures + 1} times, and it failed each time: ${plan.reply.message ?? ''}`;
}
