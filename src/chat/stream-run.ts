import { createUIMessageStreamResponse } from 'ai';
import type { ChatChunk } from './chat-message.ts';
import { followRun, type FollowedRun } from './follow-run.ts';
import { joinPieces } from './join-pieces.ts';
import { toUIMessageChunks } from './to-ui-message-chunks.ts';
import type { MessageOptions } from './write-message.ts';

export interface StreamOptions extends Omit<MessageOptions, 'run'> {
  readonly from: number;
  /** A comment is sent whenever nothing else was for so long: what stands between may cut a silent line. */
  readonly keepAliveMs: number;
  /** The events could not be read: the line breaks off, and the front end comes back. */
  readonly onBroken: (error: unknown) => void;
}

/** A run as a response: its message from the first chunk on, then live to its end. Reads on only as it is read. */
export function streamRun(run: FollowedRun, { from, keepAliveMs, onBroken, ...shown }: StreamOptions): Response {
  const leaving = new AbortController();
  const events = joinPieces(followRun(run, from, leaving.signal));
  const chunks = toUIMessageChunks(events, { ...shown, run: run.id });
  const stream = new ReadableStream<ChatChunk>(
    {
      async pull(controller) {
        try {
          const { done, value } = await chunks.next();
          if (done) controller.close();
          else controller.enqueue(value);
        } catch (error) {
          // Nobody reads any more: what comes or breaks now is no news.
          if (leaving.signal.aborted) return;
          onBroken(error);
          throw error;
        }
      },
      cancel() {
        leaving.abort();
        void chunks.return().catch(() => undefined);
      },
    },
    { highWaterMark: 0 },
  );
  return createUIMessageStreamResponse({
    stream,
    keepAliveMs,
    // Packing would hold words back until a block is full.
    headers: { 'cache-control': 'no-cache, no-transform' },
  });
}
