import type { LanguageModelV4FinishReason, LanguageModelV4StreamPart, LanguageModelV4Usage } from '@ai-sdk/provider';
import type { Usage } from '../contracts/events.ts';

/** A call as the model wrote it: `input` is text that should be JSON. */
export interface RawCall {
  readonly toolCallId: string;
  readonly tool: string;
  readonly input: string;
}

/** A whole reply. Reasoning is not kept. */
export interface Reply {
  readonly text: string;
  readonly calls: readonly RawCall[];
  readonly finish: LanguageModelV4FinishReason;
  readonly usage: Usage;
}

/** The stream ended without saying that it was whole: what it held is never acted upon. */
export class IncompleteReply extends Error {
  override readonly name = 'IncompleteReply';
}

/**
 * Joins a model's stream into one reply. Whole only with a finish part with a raw reason and no error part; input deltas,
 * where they came, beat the final input.
 * @throws IncompleteReply, or the error the stream carried.
 */
export async function collectReply(stream: ReadableStream<LanguageModelV4StreamPart>): Promise<Reply> {
  let text = '';
  const deltas = new Map<string, string>();
  const calls: RawCall[] = [];
  let end: { finish: LanguageModelV4FinishReason; usage: LanguageModelV4Usage } | undefined;
  for await (const part of stream) {
    if (part.type === 'error') throw part.error;
    if (part.type === 'text-delta') text += part.delta;
    if (part.type === 'tool-input-delta') deltas.set(part.id, (deltas.get(part.id) ?? '') + part.delta);
    if (part.type === 'tool-call') calls.push({ toolCallId: part.toolCallId, tool: part.toolName, input: part.input });
    if (part.type === 'finish') end = { finish: part.finishReason, usage: part.usage };
  }
  if (end?.finish.raw === undefined || end.finish.unified === 'error') {
    throw new IncompleteReply('the reply was cut off before its end');
  }
  if (text === '' && calls.length === 0 && end.finish.unified === 'stop')
    throw new IncompleteReply('the reply was empty');
  // Two calls under one id share their pieces too: only their final inputs tell them apart.
  const isTwice = (id: string) => calls.filter(({ toolCallId }) => toolCallId === id).length > 1;
  const joined = calls.map((call) =>
    isTwice(call.toolCallId) ? call : { ...call, input: deltas.get(call.toolCallId) ?? call.input },
  );
  return { text, calls: joined, finish: end.finish, usage: readUsage(end.usage) };
}

function readUsage({ inputTokens, outputTokens }: LanguageModelV4Usage): Usage {
  return {
    inputTokens: inputTokens.total ?? null,
    outputTokens: outputTokens.total ?? null,
    cacheReadTokens: inputTokens.cacheRead ?? null,
    cacheWriteTokens: inputTokens.cacheWrite ?? null,
  };
}
