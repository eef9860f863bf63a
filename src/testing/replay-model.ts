import type { LanguageModelV4, LanguageModelV4Content, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { setTimeout as sleep } from 'node:timers/promises';
import { findReply } from './find-reply.ts';
import { promptToChat } from './prompt-to-chat.ts';
import { joinParts } from './join-parts.ts';
import type { RecordedPart, Recording } from './recording.ts';

export interface ReplayOptions {
  /** How many times as fast as it was recorded. Default 1; Infinity: at once. */
  readonly speed?: number;
}

/**
 * A model in this process that says what was recorded, each piece at its time. Its calls reject with NotRecorded when the
 * conversation is not in the recording, or with the reason of the caller's abort signal.
 */
export function replayModel(recording: Recording, { speed = 1 }: ReplayOptions = {}): LanguageModelV4 {
  const modelId = recording.model;
  return {
    specificationVersion: 'v4',
    provider: 'holdfast-replay',
    modelId,
    supportedUrls: {},
    doGenerate({ prompt }) {
      return attempt(() => {
        const { text, calls, finish } = joinParts(findReply(recording, promptToChat(prompt)).parts);
        const content: LanguageModelV4Content[] = [...(text === '' ? [] : [{ type: 'text' as const, text }]), ...calls];
        const { finishReason, usage } = finish;
        return { content, finishReason, usage, response: { modelId }, warnings: [] };
      });
    },
    doStream({ prompt, abortSignal }) {
      return attempt(() => {
        const { parts } = findReply(recording, promptToChat(prompt));
        const timed = inTime(parts, { speed, ...(abortSignal && { signal: abortSignal }) });
        return { stream: ReadableStream.from(streamParts(timed)) };
      });
    },
  };
}

const attempt = async <Value>(make: () => Value): Promise<Value> => Promise.resolve().then(make);

async function* streamParts(timed: AsyncIterable<RecordedPart>): AsyncGenerator<LanguageModelV4StreamPart> {
  yield { type: 'stream-start', warnings: [] };
  for await (const { part } of timed) yield part;
}

/** Each at its time, counted from now. Rejects with the signal's reason when it is aborted. */
export async function* inTime<Timed extends { readonly afterMs: number }>(
  pieces: readonly Timed[],
  { speed, signal }: { readonly speed: number; readonly signal?: AbortSignal },
): AsyncGenerator<Timed> {
  const began = performance.now();
  for (const piece of pieces) {
    const waitMs = piece.afterMs / speed - (performance.now() - began);
    // A timer's own abort error hides the reason.
    if (waitMs > 0) await sleep(waitMs, undefined, signal && { signal }).catch(() => undefined);
    signal?.throwIfAborted();
    yield piece;
  }
}
