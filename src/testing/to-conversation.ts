import type { Json } from '../contracts/json.ts';
import type { ChatMessage } from './chat-message.ts';
import { parseJson } from './parse-json.ts';
import type { Conversation, HeardReply } from './rule.ts';

/** What a rule sees of a transcript that has passed `checkTranscript`. */
export const toConversation = (messages: readonly ChatMessage[], tools: readonly string[]): Conversation => ({
  system: messages.flatMap((message) => (message.role === 'system' ? [message.content] : [])).join('\n\n'),
  user: messages.findLast((message) => message.role === 'user')?.content ?? '',
  tools,
  results: heardReplies(messages),
  turn: messages.filter((message) => message.role === 'assistant').length,
});

function heardReplies(messages: readonly ChatMessage[]): readonly HeardReply[] {
  const calls = new Map(
    messages.flatMap((message) =>
      message.role === 'assistant' ? message.calls.map((call) => [call.id, call] as const) : [],
    ),
  );
  return messages.flatMap((message) => {
    const call = message.role === 'tool' ? calls.get(message.callId) : undefined;
    return call ? [{ tool: call.tool, input: readValue(call.arguments), reply: readValue(message.content) }] : [];
  });
}

function readValue(text: string): Json {
  const value = parseJson(text);
  // What JSON.parse returned is JSON by construction; the type cannot say so.
  return value === undefined ? text : (value as Json);
}
