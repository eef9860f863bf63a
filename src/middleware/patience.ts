import { AttemptTimeout } from '../contracts/attempt-timeout.ts';
import type { Clock } from '../contracts/clock.ts';
import type { ModelMiddleware } from '../contracts/middleware.ts';
import { beginsAnswer } from '../policy/read-part.ts';
import { observeStream } from './observe-stream.ts';

export interface PatienceOptions {
  /** Until the first piece of content, in milliseconds. */
  readonly firstMs: number;
  /** Between two pieces, in milliseconds. Keep-alives are none. */
  readonly idleMs: number;
  readonly clock: Clock;
}

/** Gives a request up with AttemptTimeout when its model is silent for too long. */
export function patience({ firstMs, idleMs, clock }: PatienceOptions): ModelMiddleware {
  return (next) => async (request) => {
    const silent = new AbortController();
    const signal = AbortSignal.any([request.signal, silent.signal]);
    let waiting = new AbortController();
    const expect = (ms: number, what: string) => {
      waiting.abort();
      waiting = new AbortController();
      clock.wait(ms, AbortSignal.any([signal, waiting.signal])).then(
        () => silent.abort(new AttemptTimeout(`no ${what} within ${ms / 1_000} s`)),
        () => undefined,
      );
    };
    expect(firstMs, 'piece of an answer');
    try {
      const reply = await next({ ...request, signal });
      const stream = observeStream(reply.stream, {
        signal,
        onPart: (part) => {
          if (beginsAnswer(part)) expect(idleMs, 'further piece of the answer');
        },
        onEnd: () => waiting.abort(),
      });
      return { ...reply, stream };
    } catch (error) {
      waiting.abort();
      throw error;
    }
  };
}
