import { wellFormedJson } from '../policy/well-formed-json.ts';
import { TOOL_NAME, type ChatMessage, type Problem } from './chat-message.ts';
import { isRecord, parseJson } from './parse-json.ts';

/**
 * The first thing the strictest provider would refuse in a conversation, or undefined. What OpenAI, Anthropic and Mistral
 * ask for, put together: every tool call has exactly one result, before anything else is said; ids are unique; arguments
 * are a JSON object; system messages come first, then the user; the model is never asked to go on from its own words;
 * nothing is empty; text is valid Unicode.
 */
export function checkTranscript(messages: readonly ChatMessage[]): Problem | undefined {
  for (const problem of problemsOf(messages)) return problem;
  return undefined;
}

function* problemsOf(messages: readonly ChatMessage[]): Generator<Problem> {
  const calls: Calls = { asked: new Set(), open: new Set() };
  for (const [at, message] of messages.entries()) {
    const param = `messages[${at}]`;
    yield* placeProblems(message, messages[at - 1], param);
    yield* textProblems(message, param);
    yield* pairingProblems(message, calls, param);
  }
  const last = messages.at(-1)?.role;
  if (calls.open.size > 0) yield unanswered(calls, 'messages');
  if (last !== 'user' && last !== 'tool')
    yield { problem: 'the last message is a user or a tool message', param: 'messages' };
}

/** Ids of the calls asked for so far, and of those that still lack a result. Filled while walking. */
interface Calls {
  readonly asked: Set<string>;
  readonly open: Set<string>;
}

const unanswered = (calls: Calls, param: string): Problem => ({
  problem: `tool calls without a result: ${[...calls.open].join(', ')}`,
  param,
});

function* placeProblems({ role }: ChatMessage, before: ChatMessage | undefined, param: string): Generator<Problem> {
  const opening = before === undefined || before.role === 'system';
  if (role === 'system' && !opening) yield { problem: 'system messages come first', param };
  if (role === 'assistant' && opening) yield { problem: 'the user speaks before the model', param };
}

function* textProblems(message: ChatMessage, param: string): Generator<Problem> {
  const mayBeEmpty = message.role === 'tool' || (message.role === 'assistant' && message.calls.length > 0);
  if (message.content === '' && !mayBeEmpty) yield { problem: `an empty ${message.role} message`, param };
  const texts = [message.content, ...(message.role === 'assistant' ? message.calls.map((call) => call.arguments) : [])];
  if (!texts.every(isUnicode)) yield { problem: 'text is not valid Unicode', param };
}

/** JSON is read by some providers, and half a character in it is refused as in any text. */
const isUnicode = (text: string): boolean =>
  text.isWellFormed() && (parseJson(text) === undefined || wellFormedJson(text) === text);

function* pairingProblems(message: ChatMessage, calls: Calls, param: string): Generator<Problem> {
  if (message.role === 'tool') {
    const again = calls.asked.has(message.callId) ? 'a second result' : 'a result without a call';
    if (!calls.open.delete(message.callId))
      yield { problem: `${again}: "${message.callId}"`, param: `${param}.tool_call_id` };
    return;
  }
  if (calls.open.size > 0) yield unanswered(calls, param);
  if (message.role !== 'assistant') return;
  for (const [at, call] of message.calls.entries()) {
    const callParam = `${param}.tool_calls[${at}]`;
    if (calls.asked.has(call.id)) yield { problem: `the id "${call.id}" was used before`, param: `${callParam}.id` };
    if (!TOOL_NAME.test(call.tool))
      yield { problem: `"${call.tool}" is no tool name`, param: `${callParam}.function.name` };
    if (!isRecord(parseJson(call.arguments)))
      yield { problem: 'arguments are not a JSON object', param: `${callParam}.function.arguments` };
    calls.asked.add(call.id);
    calls.open.add(call.id);
  }
}
