import type { LanguageModelV4Message } from '@ai-sdk/provider';
import { storedFromBytes } from '../contracts/content.ts';
import type { Json } from '../contracts/json.ts';
import type { LedgerKey } from '../contracts/ledger.ts';
import type { PlannedCall } from '../contracts/plan.ts';
import type { ModelRequest } from '../contracts/requests.ts';
import type { Agent } from '../contracts/agent.ts';
import type { Intent, IntentScope, Tool } from '../contracts/tool.ts';
import { readErrorFacts } from '../policy/error-facts.ts';
import { cleanMessage } from '../policy/clean-message.ts';
import type { RawCall } from './collect-reply.ts';
import { digestOf } from './digest.ts';
import type { ActivityPorts } from './ports.ts';
import { storeContent, toJson } from './store-content.ts';

/** Argument names a model may never use to name an identity: they are dropped before the schema sees them. */
const RESERVED_ARGUMENTS = ['idempotency_key', 'idempotencyKey', 'intent_id', 'intentId'];

/**
 * Turns the calls of a reply into a plan: validated arguments, digest, intent. Schemas and `intent` run here and nowhere
 * else. A call that cannot run is answered at once; nothing is claimed for it.
 */
export async function planCalls(
  ports: ActivityPorts,
  request: ModelRequest,
  agent: Agent,
  calls: readonly RawCall[],
  before: readonly LanguageModelV4Message[],
): Promise<readonly PlannedCall[]> {
  const fromBytes = storedFromBytes(calls.length);
  const seen = await countPriorCalls(before, agent.tools);
  const planning = { ports, request, agent, seen };
  const planned: PlannedCall[] = [];
  for (const [position, call] of calls.entries()) {
    const id = `t${request.turn}c${position}`;
    const raw = { ...call, call: id, fromBytes };
    planned.push(await planCall(planning, raw).catch((error: unknown) => refuseFor(raw, error)));
  }
  return planned;
}

/** What planning the calls of one reply needs, beside the call itself. */
interface Planning {
  readonly ports: ActivityPorts;
  readonly request: ModelRequest;
  readonly agent: Agent;
  /** How often each call, by tool and arguments, has been made before. */
  readonly seen: Map<string, number>;
}

type SizedCall = RawCall & { readonly call: string; readonly fromBytes: number };

/** A bug in a schema, or arguments nested beyond reason, is this call's trouble and no other's. */
function refuseFor({ call, toolCallId, tool }: RawCall & { readonly call: string }, error: unknown): PlannedCall {
  const message = `The arguments of ${tool} could not be checked: ${readErrorFacts(error).message}`;
  return { is: 'answered', call, toolCallId, tool, reply: { status: 'failed', message, retryable: false } };
}

async function planCall(planning: Planning, raw: SizedCall): Promise<PlannedCall> {
  const { ports, agent } = planning;
  const { call, toolCallId } = raw;
  const tool = agent.tools.find(({ name }) => name === raw.tool);
  const refuse = (message: string): PlannedCall => {
    const reply = { status: 'failed', message, retryable: true } as const;
    return { is: 'answered', call, toolCallId, tool: raw.tool, reply };
  };
  if (!tool) {
    const names = agent.tools.map(({ name }) => name).join(', ');
    return refuse(`There is no tool "${raw.tool}". The tools are: ${names || 'none'}.`);
  }
  const parsed = parseArguments(raw.input);
  if (!parsed)
    return refuse(`The arguments of ${tool.name} are not a JSON object. Call it again with valid arguments.`);
  const checked = await tool.input['~standard'].validate(parsed);
  if (checked.issues) return refuse(`The arguments of ${tool.name} were not accepted: ${issuesOf(checked.issues)}`);
  const json = toJson(checked.value);
  if ('unreadable' in json)
    return refuse(`The arguments of ${tool.name} cannot be written as JSON: ${json.unreadable}`);
  const digest = digestOf(json.value);
  const key = keyOf(planning, tool, checked.value, digest);
  if ('problem' in key) return refuse(key.problem);
  const input = await storeContent(ports.transcripts, json.value, raw.fromBytes);
  const named = tool.intent !== undefined;
  return { is: 'runnable', call, toolCallId, tool: tool.name, key, named, input, digest, effect: tool.effect };
}

function parseArguments(input: string): Record<string, Json> | undefined {
  try {
    const value = JSON.parse(input.trim() === '' ? '{}' : input) as unknown;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    const fields = Object.entries(value as Record<string, Json>);
    return Object.fromEntries(fields.filter(([name]) => !RESERVED_ARGUMENTS.includes(name) && name !== '__proto__'));
  } catch {
    // Not JSON: the caller tells the model so.
    return undefined;
  }
}

function issuesOf(issues: readonly { message: string; path?: readonly unknown[] | undefined }[]): string {
  const texts = issues.map(({ message, path }) =>
    path?.length ? `${path.map(segment).join('.')}: ${message}` : message,
  );
  return cleanMessage(texts.join('; '));
}

function segment(part: unknown): string {
  return String(typeof part === 'object' && part !== null && 'key' in part ? part.key : part);
}

function keyOf(
  { ports, request: { task, agent }, seen }: Planning,
  tool: Tool,
  input: unknown,
  digest: string,
): LedgerKey | { readonly problem: string } {
  const equal = equalCalls(tool, digest);
  const before = seen.get(equal) ?? 0;
  seen.set(equal, before + 1);
  try {
    const intent = tool.intent ? readIntent(tool.intent(input)) : { key: `${equal}:${before}`, scope: 'task' as const };
    if ('problem' in intent) return { problem: `${tool.name} could not name this action: ${intent.problem}` };
    const scope = { task: `task:${task}`, agent: `agent:${agent}`, global: 'global' }[intent.scope];
    return { namespace: ports.namespace, scope, intent: intent.key };
  } catch (error) {
    const why = cleanMessage(error instanceof Error ? error.message : String(error));
    return { problem: `${tool.name} could not name this action: ${why}` };
  }
}

const SCOPES = ['task', 'agent', 'global'];

/** What the author's `intent` returned, checked: nobody else has looked at it. */
function readIntent(intent: unknown): Exclude<Intent, string> | { readonly problem: string } {
  const { key, scope = 'task' } =
    typeof intent === 'string' ? { key: intent } : ((intent ?? {}) as Record<string, unknown>);
  const text = typeof key === 'string' ? key.normalize('NFC').trim() : '';
  if (text === '') return { problem: 'its intent function gave no text (a bug in the tool).' };
  if (typeof scope !== 'string' || !SCOPES.includes(scope)) {
    return { problem: `its intent function gave the scope ${JSON.stringify(scope)}; it is task, agent or global.` };
  }
  return { key: text, scope: scope as IntentScope };
}

/** How often each call, by tool and parsed arguments, stands in the transcript already: the n of an unnamed intent. */
async function countPriorCalls(
  messages: readonly LanguageModelV4Message[],
  tools: readonly Tool[],
): Promise<Map<string, number>> {
  const seen = new Map<string, number>();
  for (const message of messages) {
    for (const part of message.role === 'assistant' ? message.content : []) {
      const tool = part.type === 'tool-call' ? tools.find(({ name }) => name === part.toolName) : undefined;
      if (part.type !== 'tool-call' || !tool || tool.intent) continue;
      const checked = await quietly(() => tool.input['~standard'].validate(part.input));
      const json = !checked || checked.issues ? undefined : toJson(checked.value);
      if (!json || !('value' in json)) continue;
      const equal = equalCalls(tool, digestOf(json.value));
      seen.set(equal, (seen.get(equal) ?? 0) + 1);
    }
  }
  return seen;
}

const equalCalls = (tool: Tool, digest: string): string => `${tool.name}:${digest.slice(0, 16)}`;

/** A schema with a bug has refused the earlier call too: it was never made. */
async function quietly<T>(check: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await check();
  } catch {
    return undefined;
  }
}
