import type { ChatCall, ChatMessage } from './chat-message.ts';
import type { Rule } from './rule.ts';
import { toConversation } from './to-conversation.ts';

/** One model reply, before it takes the form of a wire. */
export interface ChatReply {
  readonly text: string;
  readonly calls: readonly ChatCall[];
  /** In OpenAI's words. */
  readonly finish: 'stop' | 'tool_calls';
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** Asks the rule and dresses its answer: call ids from turn and position, usage from the sizes of the texts. */
export function composeReply(decide: Rule, messages: readonly ChatMessage[], tools: readonly string[]): ChatReply {
  const conversation = toConversation(messages, tools);
  const answer = decide(conversation);
  const text = answer.text ?? '';
  const calls = (answer.calls ?? []).map(({ tool, input }, at) => ({
    id: `call_${conversation.turn}_${at}`,
    tool,
    arguments: JSON.stringify(input),
  }));
  return {
    text,
    calls,
    finish: calls.length > 0 ? 'tool_calls' : 'stop',
    inputTokens: countTokens(messages.map(textOf).join('')),
    outputTokens: countTokens(textOf({ role: 'assistant', content: text, calls })),
  };
}

/** Four characters a token, rounded up: near enough to English, and easy to foretell in a test. */
export const countTokens = (text: string): number => Math.ceil(text.length / 4);

/** Everything of a message that costs tokens. */
const textOf = (message: ChatMessage): string =>
  message.role === 'assistant'
    ? message.content + message.calls.map((call) => call.tool + call.arguments).join('')
    : message.content;
