import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { isWholeFinish } from '../policy/read-part.ts';

type Part = LanguageModelV4StreamPart;

/**
 * How a reply's stream ended.
 *
 * - `whole`: with a finish part that says so, and no error part before it.
 * - `broken`: with an error, as a part or of the stream itself.
 * - `cut`: without a word, or with a finish that names no reason.
 * - `left`: nobody reads on: the reader cancelled, or the signal was aborted with `reason`.
 */
export type StreamEnd =
  | { readonly is: 'whole'; readonly finish: Extract<Part, { type: 'finish' }> }
  | { readonly is: 'broken'; readonly error: unknown }
  | { readonly is: 'cut'; readonly finish?: Extract<Part, { type: 'finish' }> }
  | { readonly is: 'left'; readonly reason: unknown };

export interface StreamObserver {
  readonly signal: AbortSignal;
  /** Called with each part before it is passed on. Must not throw. */
  readonly onPart?: (part: Part) => void;
  /** Called once. Must not throw. */
  readonly onEnd: (end: StreamEnd) => void;
  /** Called once, when nothing more will pass: after an error part there may be more, such as what it all cost. Must not throw. */
  readonly onClose?: () => void;
}

/** The same stream, looked at as it passes. An abort ends it at once, also where the provider does not hear it. */
export function observeStream(
  stream: ReadableStream<Part>,
  { signal, onPart, onEnd, onClose }: StreamObserver,
): ReadableStream<Part> {
  const reader = stream.getReader();
  let hasEnded = false;
  const end = (how: StreamEnd) => {
    if (hasEnded) return;
    hasEnded = true;
    // After an error part there may be more to come, or nothing for ever.
    if (how.is !== 'broken') signal.removeEventListener('abort', abort);
    onEnd(how);
  };
  let isClosed = false;
  const close = () => {
    if (isClosed) return;
    isClosed = true;
    signal.removeEventListener('abort', abort);
    onClose?.();
  };
  let abort: () => void = () => undefined;
  return new ReadableStream<Part>(
    {
      start(controller) {
        abort = () => {
          end({ is: 'left', reason: signal.reason });
          controller.error(signal.reason);
          leave(reader, signal.reason);
          close();
        };
        signal.addEventListener('abort', abort, { once: true });
        if (signal.aborted) abort();
      },
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (done) {
            end({ is: 'cut' });
            close();
            controller.close();
            return;
          }
          onPart?.(value);
          if (value.type === 'error') end({ is: 'broken', error: value.error });
          if (value.type === 'finish')
            end(isWholeFinish(value) ? { is: 'whole', finish: value } : { is: 'cut', finish: value });
          controller.enqueue(value);
        } catch (error) {
          end({ is: 'broken', error });
          close();
          throw error;
        }
      },
      async cancel(reason) {
        end({ is: 'left', reason });
        close();
        await reader.cancel(reason);
      },
    },
    // Nothing is read before somebody asks for it.
    { highWaterMark: 0 },
  );
}

/** Tells a provider that nobody reads on. That it fails in return is no news. */
export function leave(source: { cancel(reason?: unknown): Promise<void> }, reason: unknown): void {
  source.cancel(reason).catch(() => undefined);
}
