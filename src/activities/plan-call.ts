import type { Agent } from '../contracts/agent.ts';
import type { PlannedCall } from '../contracts/plan.ts';
import type { RunIdentity } from '../contracts/requests.ts';
import type { Tool } from '../contracts/tool.ts';
import { CHECK_OUTCOME } from '../contracts/tool.ts';
import { readErrorFacts } from '../policy/error-facts.ts';
import type { AskedCall } from './collect-reply.ts';
import type { PriorCalls } from './count-prior-calls.ts';
import { digestOf } from './digest.ts';
import { keyOfCall } from './key-of-call.ts';
import type { ActivityPorts } from './ports.ts';
import { amountOf, reasonsToAsk } from './reasons-to-ask.ts';
import { argumentsIn } from './read-arguments.ts';
import { readCall } from './read-call.ts';
import { storeContent, toJson } from './store-content.ts';

/** What planning a call needs beside the call itself. */
export interface Planning {
  readonly ports: ActivityPorts;
  readonly identity: RunIdentity;
  readonly turn: number;
  readonly agent: Agent;
  readonly prior: PriorCalls;
  /** What tells a call without a named intent from equal ones; default: how many came before. */
  readonly unnamedAs?: string;
}

/** A call of a reply under our own id. From `fromBytes` on its arguments travel by reference. */
export type SizedCall = AskedCall & { readonly call: string; readonly fromBytes: number };

/** A bug in a schema, or arguments nested beyond reason, is this call's trouble and no other's. */
export function refuseFor({ call, toolCallId, tool }: SizedCall, error: unknown): PlannedCall {
  const message = `The arguments of ${tool} could not be checked: ${readErrorFacts(error).message}`;
  return { is: 'answered', call, toolCallId, tool, reply: { status: 'failed', message, retryable: false } };
}

/** One call as it will be made; or the answer, why it will not. */
export async function planCall(planning: Planning, raw: SizedCall): Promise<PlannedCall> {
  const { agent } = planning;
  const { call, toolCallId } = raw;
  const refuse = (message: string): PlannedCall => {
    const reply = { status: 'failed', message, retryable: true } as const;
    return { is: 'answered', call, toolCallId, tool: raw.tool, reply };
  };
  if (raw.tool === CHECK_OUTCOME && raw.cut === undefined) {
    const handle = argumentsIn(raw.input)['handle'];
    if (typeof handle !== 'string') return refuse('check_outcome wants { "handle": "…" }, as it came with "pending".');
    return { is: 'check', call, toolCallId, tool: raw.tool, handle: handle.slice(0, 100) };
  }
  const read = await readCall(raw, agent.tools);
  return read.is === 'fits' ? planChecked(planning, raw, read.tool, read.value, refuse) : refuse(read.message);
}

async function planChecked(
  planning: Planning,
  raw: SizedCall,
  tool: Tool,
  value: unknown,
  refuse: (message: string) => PlannedCall,
): Promise<PlannedCall> {
  const json = toJson(value);
  if ('unreadable' in json)
    return refuse(`The arguments of ${tool.name} cannot be written as JSON: ${json.unreadable}`);
  const { ports, identity, turn, prior, agent } = planning;
  const digest = digestOf(json.value);
  const before = prior.countEqual(tool, digest);
  const key = keyOfCall({
    namespace: ports.namespace,
    identity,
    tool,
    input: value,
    digest,
    before: planning.unnamedAs ?? before,
  });
  if ('problem' in key) return refuse(`${tool.name} could not name this action: ${key.problem}`);
  const run = { runId: identity.run, taskId: identity.task, agent: identity.agent, turn };
  const because = reasonsToAsk(tool, value, run, {
    equal: before,
    failures: prior.failuresOf(raw),
    limits: agent.limits ?? {},
  });
  const amount = amountOf(tool, value);
  const { call, toolCallId } = raw;
  const input = await storeContent(ports.transcripts, json.value, raw.fromBytes);
  const named = tool.intent !== undefined;
  return {
    ...{ is: 'runnable', call, toolCallId, tool: tool.name, key, named, input, digest, effect: tool.effect },
    ...(because.length > 0 && { because }),
    ...(amount !== undefined && { amount }),
  };
}
