import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { setTimeout as sleep } from 'node:timers/promises';
import { checkTranscript } from './check-transcript.ts';
import { composeReply, type ChatReply } from './compose-reply.ts';
import { promptToChat } from './prompt-to-chat.ts';
import { openingParts, streamOf, toContent, toFinishReason, toParts, toUsage } from './reply-parts.ts';
import type { Rule } from './rule.ts';

export interface ScriptedModelOptions {
  /** Default `scripted`. */
  readonly modelId?: string;
  /** How long the model thinks before each reply. Default 0. */
  readonly delayMs?: number;
  /** How long it takes for each part of a streamed reply, so that the reply is seen to come. Default 0: all at once. */
  readonly partMs?: number;
  /** Called once for each request, before anything else. */
  readonly onCall?: (options: LanguageModelV4CallOptions) => void;
}

/** The prompt is one a strict provider would answer with 400; `message` names the part. Repeating it cannot help. */
export class BadTranscript extends Error {
  override readonly name = 'BadTranscript';
  readonly statusCode = 400;
  readonly isRetryable = false;
}

/**
 * A model in this process that answers by a rule, for `agent.model`. As strict about transcripts as `startModelServer`.
 * Its calls reject with BadTranscript, with what the rule throws, or with the reason of the caller's abort signal.
 */
export function scriptedModel(decide: Rule, options: ScriptedModelOptions = {}): LanguageModelV4 {
  const modelId = options.modelId ?? 'scripted';
  let replies = 0;

  async function reply(call: LanguageModelV4CallOptions): Promise<{ readonly id: string; readonly reply: ChatReply }> {
    options.onCall?.(call);
    await think(options.delayMs ?? 0, call.abortSignal);
    const messages = promptToChat(call.prompt);
    const problem = checkTranscript(messages);
    if (problem) throw new BadTranscript(`${problem.param}: ${problem.problem}`);
    replies += 1;
    return {
      id: `scripted-${replies}`,
      reply: composeReply(
        decide,
        messages,
        (call.tools ?? []).map((tool) => tool.name),
      ),
    };
  }

  return {
    specificationVersion: 'v4',
    provider: 'holdfast-testing',
    modelId,
    supportedUrls: {},
    async doGenerate(call) {
      const { id, reply: made } = await reply(call);
      const end = { finishReason: toFinishReason(made), usage: toUsage(made) };
      return { content: toContent(made), ...end, response: { id, modelId }, warnings: [] };
    },
    async doStream(call) {
      const { id, reply: made } = await reply(call);
      const parts = [...openingParts(id, modelId), ...toParts(made)];
      const { partMs = 0 } = options;
      return { stream: partMs > 0 ? ReadableStream.from(pace(parts, partMs, call.abortSignal)) : streamOf(parts) };
    },
  };
}

async function* pace<Part>(
  parts: readonly Part[],
  partMs: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<Part, void> {
  for (const part of parts) {
    await think(partMs, signal);
    yield part;
  }
}

async function think(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  // A timer's own abort error hides the reason, which tells a cancelled call from a deadline.
  await sleep(delayMs, undefined, signal && { signal }).catch(() => undefined);
  signal?.throwIfAborted();
}
