import type { LanguageModelV4Message, LanguageModelV4ToolResultPart } from '@ai-sdk/provider';
import { assertNever } from '../policy/assert-never.ts';
import type { ChatMessage } from './chat-message.ts';
import { parseJson } from './parse-json.ts';

/** An AI SDK prompt in the terms of the chat protocol, as a provider package would send it. Keeps text and tool traffic only. */
export function promptToChat(prompt: readonly LanguageModelV4Message[]): readonly ChatMessage[] {
  return prompt.flatMap(toMessages);
}

function toMessages(message: LanguageModelV4Message): readonly ChatMessage[] {
  switch (message.role) {
    case 'system':
      return [{ role: 'system', content: message.content }];
    case 'user':
      return [{ role: 'user', content: joinText(message.content) }];
    case 'assistant':
      return [{ role: 'assistant', content: joinText(message.content), calls: toCalls(message.content) }];
    case 'tool':
      return message.content.flatMap((part) =>
        part.type === 'tool-result' ? [{ role: 'tool', callId: part.toolCallId, content: toText(part.output) }] : [],
      );
    default:
      return assertNever(message);
  }
}

type AssistantMessage = Extract<LanguageModelV4Message, { role: 'assistant' }>;

function joinText(parts: readonly { readonly type: string; readonly text?: string }[]): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text ?? ''] : [])).join('');
}

function toCalls(parts: AssistantMessage['content']) {
  return parts.flatMap((part) =>
    part.type === 'tool-call' ? [{ id: part.toolCallId, tool: part.toolName, arguments: toArguments(part.input) }] : [],
  );
}

function toArguments(input: unknown): string {
  const isJsonText = typeof input === 'string' && parseJson(input) !== undefined;
  return isJsonText ? input : JSON.stringify(input);
}

function toText(output: LanguageModelV4ToolResultPart['output']): string {
  switch (output.type) {
    case 'text':
    case 'error-text':
      return output.value;
    case 'json':
    case 'error-json':
    case 'content':
      return JSON.stringify(output.value);
    case 'execution-denied':
      return output.reason ?? 'Tool call execution denied.';
    default:
      return assertNever(output);
  }
}
