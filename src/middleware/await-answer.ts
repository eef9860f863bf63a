import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { IncompleteReply } from '../contracts/incomplete-reply.ts';
import type { ModelReplyStream } from '../contracts/middleware.ts';
import { beginsAnswer } from '../policy/read-part.ts';
import { leave } from './observe-stream.ts';

type Part = LanguageModelV4StreamPart;

/**
 * Waits until the model begins to answer, and gives the reply back with nothing missing. Until then nothing has been shown
 * to anybody, so another model may still take its place.
 * @throws what the stream carried, IncompleteReply when it ended first, or the signal's reason.
 */
export async function awaitAnswer(reply: ModelReplyStream, signal: AbortSignal): Promise<ModelReplyStream> {
  const reader = reply.stream.getReader();
  const stop = () => {
    leave(reader, signal.reason);
  };
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  try {
    const opening = await readOpening(reader, signal, reply.response?.headers);
    return { ...reply, stream: resume(opening, reader) };
  } catch (error) {
    leave(reader, error);
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

async function readOpening(
  reader: ReadableStreamDefaultReader<Part>,
  signal: AbortSignal,
  headers?: Readonly<Record<string, string>>,
): Promise<readonly Part[]> {
  const opening: Part[] = [];
  for (;;) {
    const { done, value } = await reader.read();
    signal.throwIfAborted();
    if (done) throw new IncompleteReply(finishOf(opening), headers);
    if (value.type === 'error') throw value.error;
    opening.push(value);
    if (beginsAnswer(value)) return opening;
  }
}

function finishOf(parts: readonly Part[]): IncompleteReply['finish'] {
  return parts.find((part) => part.type === 'finish');
}

function resume(opening: readonly Part[], reader: ReadableStreamDefaultReader<Part>): ReadableStream<Part> {
  const kept = [...opening];
  return new ReadableStream<Part>(
    {
      async pull(controller) {
        const part = kept.shift();
        if (part) {
          controller.enqueue(part);
          return;
        }
        const { done, value } = await reader.read();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
