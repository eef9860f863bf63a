import type {
  LanguageModelV4Content,
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from '@ai-sdk/provider';
import type { ChatReply } from './compose-reply.ts';
import { PIECE_SIZE, splitText } from './split-text.ts';

/** The whole reply, as `doGenerate` returns it. */
export function toContent({ text, calls }: ChatReply): LanguageModelV4Content[] {
  return [
    ...(text === '' ? [] : [{ type: 'text' as const, text }]),
    ...calls.map((call) => ({
      type: 'tool-call' as const,
      toolCallId: call.id,
      toolName: call.tool,
      input: call.arguments,
    })),
  ];
}

export function openingParts(id: string, modelId: string): readonly LanguageModelV4StreamPart[] {
  return [
    { type: 'stream-start', warnings: [] },
    { type: 'response-metadata', id, modelId },
  ];
}

/** The reply in pieces, as `doStream` sends it. */
export function toParts(reply: ChatReply): readonly LanguageModelV4StreamPart[] {
  return [
    ...toContent(reply).flatMap(toContentParts),
    { type: 'finish', finishReason: toFinishReason(reply), usage: toUsage(reply) },
  ];
}

function toContentParts(content: LanguageModelV4Content): readonly LanguageModelV4StreamPart[] {
  if (content.type === 'text') {
    const deltas = splitText(content.text, PIECE_SIZE).map((delta) => ({
      type: 'text-delta' as const,
      id: 'text',
      delta,
    }));
    return [{ type: 'text-start', id: 'text' }, ...deltas, { type: 'text-end', id: 'text' }];
  }
  if (content.type !== 'tool-call') return [];
  const id = content.toolCallId;
  const deltas = splitText(content.input, PIECE_SIZE).map((delta) => ({
    type: 'tool-input-delta' as const,
    id,
    delta,
  }));
  return [
    { type: 'tool-input-start', id, toolName: content.toolName },
    ...deltas,
    { type: 'tool-input-end', id },
    content,
  ];
}

export function toFinishReason({ finish }: ChatReply): LanguageModelV4FinishReason {
  return { unified: finish === 'stop' ? 'stop' : 'tool-calls', raw: finish };
}

export function toUsage({ inputTokens, outputTokens }: ChatReply): LanguageModelV4Usage {
  return {
    inputTokens: { total: inputTokens, noCache: inputTokens, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: outputTokens, text: outputTokens, reasoning: undefined },
  };
}

export function streamOf(parts: readonly LanguageModelV4StreamPart[]): ReadableStream<LanguageModelV4StreamPart> {
  return new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
  });
}
