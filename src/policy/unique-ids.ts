import type { LanguageModelV4Message } from '@ai-sdk/provider';

/** Some providers repeat ids, or give none: a transcript with two equal ids is refused by the strictest. */
export function uniqueIds<Call extends { readonly toolCallId: string }>(
  calls: readonly Call[],
  before: readonly LanguageModelV4Message[],
  turn: number,
): readonly Call[] {
  const taken = new Set<string>();
  for (const { role, content } of before) {
    if (role !== 'assistant') continue;
    for (const part of content) if (part.type === 'tool-call') taken.add(part.toolCallId);
  }
  return calls.map((call, position) => {
    let toolCallId = typeof call.toolCallId === 'string' ? call.toolCallId : '';
    for (let again = 0; toolCallId === '' || taken.has(toolCallId); again++) {
      toolCallId = `call_t${turn}c${position}${again === 0 ? '' : `_${again}`}`;
    }
    taken.add(toolCallId);
    return { ...call, toolCallId };
  });
}
