import type { LanguageModelV4Message, LanguageModelV4ToolCallPart } from '@ai-sdk/provider';
import { canonicalJson, isPlainObject } from '../contracts/canonical-json.ts';
import type { Json } from '../contracts/json.ts';
import type { Tool } from '../contracts/tool.ts';
import type { RawCall } from '../policy/judge-answer.ts';
import { digestOf } from './digest.ts';
import { argumentsIn, withoutReserved } from './read-arguments.ts';
import { toJson } from './store-content.ts';

/** How often calls like one have been made before in this transcript. */
export interface PriorCalls {
  /** Calls with these parsed arguments, the calls of the same reply that were counted already included. Counts this one. */
  countEqual(tool: Tool, digest: string): number;
  /** Calls just as the model wrote this one, which were answered with `failed`. */
  failuresOf(call: Pick<RawCall, 'tool' | 'input'>): number;
}

/** Reads what the transcript holds of earlier calls and their answers. */
export async function countPriorCalls(
  messages: readonly LanguageModelV4Message[],
  tools: readonly Tool[],
): Promise<PriorCalls> {
  const made = messages.flatMap(({ role, content }) =>
    role === 'assistant' ? content.filter((part) => part.type === 'tool-call').map(asTaken) : [],
  );
  const seen = await countEqualCalls(made, tools);
  const failed = idsOfFailed(messages);
  const failures = countBy(made.filter(({ toolCallId }) => failed.has(toolCallId)).map(writtenAs));
  return {
    countEqual(tool, digest) {
      const equal = equalCalls(tool, digest);
      const before = seen.get(equal) ?? 0;
      seen.set(equal, before + 1);
      return before;
    },
    failuresOf: ({ tool, input }) => failures.get(writtenAs({ toolName: tool, input: argumentsIn(input) })) ?? 0,
  };
}

export const equalCalls = (tool: Pick<Tool, 'name'>, digest: string): string => `${tool.name}:${digest.slice(0, 16)}`;

/** The transcript keeps what the model wrote; compared is what was taken of it. */
function asTaken(part: LanguageModelV4ToolCallPart): LanguageModelV4ToolCallPart {
  const { input } = part;
  return isPlainObject(input) ? { ...part, input: withoutReserved(input as Record<string, Json>) } : part;
}

async function countEqualCalls(
  made: readonly LanguageModelV4ToolCallPart[],
  tools: readonly Tool[],
): Promise<Map<string, number>> {
  const equal: string[] = [];
  for (const { toolName, input } of made) {
    const tool = tools.find(({ name }) => name === toolName);
    const checked = tool && (await quietly(() => tool.input['~standard'].validate(input)));
    const json = !checked || checked.issues ? undefined : toJson(checked.value);
    if (tool && json && 'value' in json) equal.push(equalCalls(tool, digestOf(json.value)));
  }
  return countBy(equal);
}

function idsOfFailed(messages: readonly LanguageModelV4Message[]): ReadonlySet<string> {
  const results = messages.flatMap(({ role, content }) =>
    role === 'tool' ? content.filter((part) => part.type === 'tool-result') : [],
  );
  const failed = results.filter(({ output }) => output.type === 'json' && statusOf(output.value) === 'failed');
  return new Set(failed.map(({ toolCallId }) => toolCallId));
}

const statusOf = (value: unknown): unknown => (value as { readonly status?: unknown } | null)?.status;

function writtenAs({ toolName, input }: Pick<LanguageModelV4ToolCallPart, 'toolName' | 'input'>): string {
  const json = toJson(input);
  return `${toolName}:${'value' in json ? canonicalJson(json.value) : ''}`;
}

function countBy(keys: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

/** A schema with a bug has refused the earlier call too: it was never made. */
async function quietly<T>(check: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await check();
  } catch {
    return undefined;
  }
}
