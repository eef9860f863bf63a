import type {
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  LanguageModelV4ToolResultPart,
} from '@ai-sdk/provider';
import type { Agent } from '../contracts/agent.ts';
import type { Json } from '../contracts/json.ts';
import type { CallAnswer } from '../contracts/requests.ts';
import { CHECK_OUTCOME } from '../contracts/tool.ts';
import { wellFormedJson } from '../policy/well-formed-json.ts';
import type { Reply } from './collect-reply.ts';
import type { ActivityPorts } from './ports.ts';
import { loadContent, toJson } from './store-content.ts';

/** The task's input as the conversation's first message: text as it is, anything else as JSON. */
export function userMessage(input: Json): LanguageModelV4Message {
  const text = typeof input === 'string' ? input.toWellFormed() : wellFormedJson(JSON.stringify(input));
  return { role: 'user', content: [{ type: 'text', text }] };
}

/** One message with exactly one result for each call of the turn, in call order. */
export async function answerMessage(
  ports: ActivityPorts,
  answers: readonly CallAnswer[],
): Promise<LanguageModelV4Message> {
  const content: LanguageModelV4ToolResultPart[] = [];
  for (const { toolCallId, tool, reply, result } of answers) {
    const data = result === undefined ? reply.data : await loadContent(ports.transcripts, result);
    const value = toJson(data === undefined ? reply : { ...reply, data });
    // A reply is JSON by its type; the check is for a store that gave back something else.
    if (!('value' in value)) throw new Error(`The answer to ${tool} cannot be written as JSON: ${value.unreadable}`);
    content.push({
      type: 'tool-result',
      toolCallId,
      toolName: tool,
      // The SDK's own type for JSON, written differently.
      output: { type: 'json', value: value.value as never },
    });
  }
  return { role: 'tool', content };
}

/** The model's reply as a message: what it said and what it asked for, under ids that are unique in the transcript. */
export function assistantMessage({ text, calls }: Reply): LanguageModelV4Message {
  const said = text === '' ? [] : [{ type: 'text', text } as const];
  const asked = calls.map(({ toolCallId, tool, input }) => {
    return { type: 'tool-call', toolCallId, toolName: tool, input: argumentsOf(input) } as const;
  });
  return { role: 'assistant', content: [...said, ...asked] };
}

/** The strictest provider takes only an object; what the model wrote instead is told to it in the answer. */
export function argumentsOf(input: string): Json {
  try {
    const value = JSON.parse(input.trim() === '' ? '{}' : input) as Json;
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
  } catch {
    return {};
  }
}

/** The agent's tools as the model is offered them, and our own where one of them may be answered with `pending`. */
export function offeredTools({ tools }: Agent): LanguageModelV4FunctionTool[] {
  const own = tools.map(({ name, description, inputJsonSchema }): LanguageModelV4FunctionTool => {
    return { type: 'function', name, description, inputSchema: inputJsonSchema };
  });
  return tools.some(({ onUnknown }) => onUnknown === 'tell-model') ? [...own, CHECK_OUTCOME_TOOL] : own;
}

const CHECK_OUTCOME_TOOL: LanguageModelV4FunctionTool = {
  type: 'function',
  name: CHECK_OUTCOME,
  description: 'Tells what became of a call that was answered with status "pending". Reads only; changes nothing.',
  inputSchema: {
    type: 'object',
    properties: { handle: { type: 'string', description: 'The handle that came with "pending".' } },
    required: ['handle'],
    additionalProperties: false,
  },
};
