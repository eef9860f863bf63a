import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamPart } from '@ai-sdk/provider';

/** All parts of one streamed reply. */
export async function collectStream(
  model: LanguageModelV4,
  options: LanguageModelV4CallOptions,
): Promise<readonly LanguageModelV4StreamPart[]> {
  const { stream } = await model.doStream(options);
  const parts: LanguageModelV4StreamPart[] = [];
  for await (const part of stream) parts.push(part);
  return parts;
}

/** What a caller makes of the parts: the joined text, the calls, and the finish part. */
export function gather(parts: readonly LanguageModelV4StreamPart[]) {
  const text = parts.map((part) => (part.type === 'text-delta' ? part.delta : '')).join('');
  const calls = parts.flatMap((part) =>
    part.type === 'tool-call' ? [{ id: part.toolCallId, tool: part.toolName, input: part.input }] : [],
  );
  const deltasOf = (id: string) =>
    parts.flatMap((part) => (part.type === 'tool-input-delta' && part.id === id ? [part.delta] : []));
  const finish = parts.find((part) => part.type === 'finish');
  const usage = { input: finish?.usage.inputTokens.total, output: finish?.usage.outputTokens.total };
  return { text, calls, deltasOf, finishReason: finish?.finishReason, usage };
}
