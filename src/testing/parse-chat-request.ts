import {
  isProblem,
  TOOL_NAME,
  type ChatCall,
  type ChatMessage,
  type ChatRequest,
  type Problem,
} from './chat-message.ts';
import { isRecord, parseJson } from './parse-json.ts';

/** Reads the body of `POST /v1/chat/completions`. Judges its shape only; `checkTranscript` judges what it says. */
export function parseChatRequest(body: string): ChatRequest | Problem {
  const request = parseJson(body);
  if (!isRecord(request)) return { problem: 'the body is not a JSON object', param: 'body' };
  const { model, stream, stream_options: streamOptions } = request;
  if (typeof model !== 'string' || model === '') return { problem: 'a model name is required', param: 'model' };
  const messages = readMessages(request.messages);
  if (isProblem(messages)) return messages;
  const tools = readTools(request.tools ?? []);
  if (isProblem(tools)) return tools;
  const includeUsage = isRecord(streamOptions) && streamOptions.include_usage === true;
  return { model, messages, tools, stream: stream === true, includeUsage };
}

function readMessages(raw: unknown): readonly ChatMessage[] | Problem {
  if (!Array.isArray(raw)) return { problem: 'an array of messages is required', param: 'messages' };
  return readEach(raw, 'messages', readMessage);
}

function readMessage(raw: unknown, param: string): ChatMessage | Problem {
  if (!isRecord(raw)) return { problem: 'a message is an object', param };
  const content = readText(raw.content);
  switch (raw.role) {
    case 'system':
    case 'user':
      return content === undefined ? needsText(param) : { role: raw.role, content };
    case 'assistant':
      return readAssistant(raw, param);
    case 'tool':
      if (typeof raw.tool_call_id !== 'string')
        return { problem: 'a tool message names its call', param: `${param}.tool_call_id` };
      return content === undefined ? needsText(param) : { role: 'tool', callId: raw.tool_call_id, content };
    default:
      return { problem: `unknown role ${JSON.stringify(raw.role)}`, param: `${param}.role` };
  }
}

const needsText = (param: string): Problem => ({
  problem: 'content is text or a list of text parts',
  param: `${param}.content`,
});

function readAssistant(raw: Readonly<Record<string, unknown>>, param: string): ChatMessage | Problem {
  const content = readText(raw.content ?? '');
  if (content === undefined) return needsText(param);
  const rawCalls = raw.tool_calls ?? [];
  if (!Array.isArray(rawCalls)) return { problem: 'tool_calls is an array', param: `${param}.tool_calls` };
  const calls = readEach(rawCalls, `${param}.tool_calls`, readCall);
  return isProblem(calls) ? calls : { role: 'assistant', content, calls };
}

function readCall(raw: unknown, param: string): ChatCall | Problem {
  const asked = isRecord(raw) && raw.type === 'function' ? raw.function : undefined;
  if (!isRecord(raw) || !isRecord(asked))
    return { problem: 'a tool call is { id, type: "function", function }', param };
  if (typeof raw.id !== 'string' || raw.id === '') return { problem: 'a tool call has an id', param: `${param}.id` };
  if (typeof asked.name !== 'string') return { problem: 'a tool call names its tool', param: `${param}.function.name` };
  if (typeof asked.arguments !== 'string')
    return { problem: 'arguments are JSON text', param: `${param}.function.arguments` };
  return { id: raw.id, tool: asked.name, arguments: asked.arguments };
}

function readTools(raw: unknown): readonly string[] | Problem {
  if (!Array.isArray(raw)) return { problem: 'tools is an array', param: 'tools' };
  const tools = readEach(raw, 'tools', readTool);
  if (isProblem(tools)) return tools;
  const names = tools.map(({ name }) => name);
  if (new Set(names).size < names.length) return { problem: 'tool names are unique', param: 'tools' };
  return names;
}

function readTool(raw: unknown, param: string): { readonly name: string } | Problem {
  const tool = isRecord(raw) && raw.type === 'function' ? raw.function : undefined;
  if (!isRecord(tool)) return { problem: 'a tool is { type: "function", function }', param };
  const { name, parameters } = tool;
  if (typeof name !== 'string' || !TOOL_NAME.test(name))
    return { problem: `${JSON.stringify(name)} is no tool name`, param };
  const takesObject = isRecord(parameters) && parameters.type === 'object';
  return takesObject
    ? { name }
    : { problem: 'parameters are a JSON Schema of type "object"', param: `${param}.function.parameters` };
}

function readText(content: unknown): string | undefined {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return undefined;
  const texts = content.map((part) =>
    isRecord(part) && part.type === 'text' && typeof part.text === 'string' ? part.text : undefined,
  );
  return texts.includes(undefined) ? undefined : texts.join('');
}

/** Reads all items, or stops at the first that cannot be read. */
function readEach<Item extends object>(
  items: readonly unknown[],
  param: string,
  read: (item: unknown, param: string) => Item | Problem,
): readonly Item[] | Problem {
  const done: Item[] = [];
  for (const [at, item] of items.entries()) {
    const result = read(item, `${param}[${at}]`);
    if (isProblem(result)) return result;
    done.push(result);
  }
  return done;
}
