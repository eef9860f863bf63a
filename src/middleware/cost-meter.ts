import type { LanguageModelV4Usage } from '@ai-sdk/provider';
import { LostHedge, type ModelCallRequest, type ModelMiddleware } from '../contracts/middleware.ts';
import { NotAdmitted } from '../contracts/shared-limits.ts';
import { followRequest, NOTHING_YET } from '../policy/follow-request.ts';
import { observeStream, type StreamEnd } from './observe-stream.ts';

/**
 * How one request ended.
 *
 * - `whole`, `broken`, `cut`: as its stream did; `broken` also when none began.
 * - `lost-hedge`: aborted because another model answered first.
 * - `left`: aborted or no longer read, for another reason.
 * - `not-sent`: the breaker refused it; it cost nothing.
 */
export interface RequestEnd {
  readonly is: 'whole' | 'broken' | 'cut' | 'lost-hedge' | 'left' | 'not-sent';
  /** What the provider had said when it ended, whichever way. Null when it did not say: then it is not known, and not 0. */
  readonly usage: LanguageModelV4Usage | null;
  /** Characters of the answer that came, reasoning and arguments included. */
  readonly outputChars: number;
  /** What the provider itself says it cost, in micro-dollars. Null when it did not. */
  readonly costMicros: number | null;
  /** Something of the reply came. */
  readonly begun: boolean;
  /** The provider's id of this reply, to ask for its cost later. Null when it never came. */
  readonly responseId: string | null;
  readonly error?: unknown;
}

export interface CostMeter {
  /** Before anything is sent; a rejection keeps it from being sent. */
  started(request: ModelCallRequest): Promise<void> | void;
  /** When headers came, and again when the stream named its id. Must not throw. */
  answered?(
    request: ModelCallRequest,
    known: { readonly headers?: Readonly<Record<string, string>>; readonly responseId?: string },
  ): void;
  /** Once for each request that started, losing hedges and failures included. Must not throw. */
  ended(request: ModelCallRequest, end: RequestEnd): void;
}

/** Tells the meter of each request's start and end, so that all of them are on the bill. Counts nothing itself. */
export function costMeter(meter: CostMeter): ModelMiddleware {
  return (next) => async (request) => {
    await meter.started(request);
    let known = NOTHING_YET;
    let how: StreamEnd | undefined;
    const settle = () => {
      if (how) meter.ended(request, { ...known, ...endOf(how) });
      how = undefined;
    };
    try {
      const reply = await next(request);
      const headers = reply.response?.headers;
      if (headers) meter.answered?.(request, { headers });
      const stream = observeStream(reply.stream, {
        signal: request.signal,
        onPart: (part) => {
          const { responseId } = known;
          known = followRequest(known, part);
          if (responseId === null && known.responseId !== null) {
            meter.answered?.(request, { responseId: known.responseId });
          }
          if (part.type === 'finish') settle();
        },
        onEnd: (end) => {
          how = end;
          // What it all cost may still come after an error.
          if (end.is !== 'broken') settle();
        },
        onClose: settle,
      });
      return { ...reply, stream };
    } catch (error) {
      meter.ended(request, { ...known, ...endOfThrown(error, request.signal) });
      throw error;
    }
  };
}

function endOf(end: StreamEnd): Pick<RequestEnd, 'is' | 'error'> {
  switch (end.is) {
    case 'whole':
    case 'cut':
      return { is: end.is };
    case 'broken':
      return { is: 'broken', error: end.error };
    case 'left':
      return { is: isLost(end.reason) ? 'lost-hedge' : 'left', error: end.reason };
  }
}

function endOfThrown(error: unknown, signal: AbortSignal): Pick<RequestEnd, 'is' | 'error'> {
  if (error instanceof NotAdmitted) return { is: 'not-sent', error };
  if (signal.aborted) return { is: isLost(signal.reason) ? 'lost-hedge' : 'left', error: signal.reason };
  return { is: 'broken', error };
}

const isLost = (reason: unknown): boolean => reason instanceof LostHedge;
