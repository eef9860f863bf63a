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
    const over = new AbortController();
    const signal = AbortSignal.any([request.signal, silent.signal]);
    const heard = { at: clock.now(), isAnswering: false };
    const giveUp = (why: string) => {
      silent.abort(new AttemptTimeout(why));
    };
    void watch(heard, { firstMs, idleMs, clock }, { giveUp, over: AbortSignal.any([signal, over.signal]) });
    try {
      const reply = await next({ ...request, signal });
      const stream = observeStream(reply.stream, {
        signal,
        onPart: (part) => {
          if (!beginsAnswer(part)) return;
          heard.at = clock.now();
          heard.isAnswering = true;
        },
        onEnd: () => {
          over.abort();
        },
      });
      return { ...reply, stream };
    } catch (error) {
      over.abort();
      throw error;
    }
  };
}

/** When the model was last heard. Changed with every piece, which may come by the thousand: no timer is made for each. */
interface Heard {
  at: number;
  isAnswering: boolean;
}

async function watch(
  heard: Heard,
  { firstMs, idleMs, clock }: PatienceOptions,
  { giveUp, over }: { readonly giveUp: (why: string) => void; readonly over: AbortSignal },
): Promise<void> {
  for (;;) {
    const limitMs = heard.isAnswering ? idleMs : firstMs;
    const leftMs = heard.at + limitMs - clock.now();
    if (leftMs <= 0) {
      const what = heard.isAnswering ? 'further piece of the answer' : 'piece of an answer';
      giveUp(`no ${what} within ${limitMs / 1_000} s`);
      return;
    }
    try {
      // Never longer than between two pieces: the first may come meanwhile.
      await clock.wait(Math.min(leftMs, idleMs), over);
    } catch {
      return;
    }
  }
}
