import type { LanguageModelV4Message } from '@ai-sdk/provider';
import type { FailureReason } from '../contracts/failure.ts';

/** So that the model does not take it for the user's word, and the runtime knows its own again. */
const FROM_RUNTIME = '(From the runtime, not from the user.) ';

const WORDS: Readonly<Partial<Record<FailureReason, string>>> = {
  empty: 'Your last reply was empty. Answer, or call a tool.',
  'tool-input':
    'Your last reply held a tool call that could not be read. Nothing was run. Make it again, with a JSON object as arguments.',
  'tool-unknown': 'Your last reply called a tool that there is not. Nothing was run. Call one of those you were given.',
};

/**
 * What the model is told of a reply of its own that is none, where asking the same again would not help: as a message that follows the
 * conversation. Undefined for every other failure, and once it has been told `most` times in a row.
 */
export function retellTo(
  before: readonly LanguageModelV4Message[],
  reason: FailureReason,
  most: number,
): LanguageModelV4Message | undefined {
  const words = WORDS[reason];
  const told = before.length - 1 - before.findLastIndex((message) => !isRetold(message));
  return words === undefined || told >= most
    ? undefined
    : { role: 'user', content: [{ type: 'text', text: FROM_RUNTIME + words }] };
}

const isRetold = ({ role, content }: LanguageModelV4Message): boolean =>
  role === 'user' && content.some((part) => part.type === 'text' && part.text.startsWith(FROM_RUNTIME));
