import type { LanguageModelV4Usage } from '@ai-sdk/provider';
import { LostHedge, type ModelCallRequest, type ModelMiddleware } from '../contracts/middleware.ts';
import { NotAdmitted } from '../contracts/shared-limits.ts';
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
  /** Null when the provider did not say: then it is not known, and not 0. */
  readonly usage: LanguageModelV4Usage | null;
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
    let responseId: string | null = null;
    try {
      const reply = await next(request);
      const headers = reply.response?.headers;
      if (headers) meter.answered?.(request, { headers });
      const stream = observeStream(reply.stream, {
        signal: request.signal,
        onPart: (part) => {
          if (part.type !== 'response-metadata' || part.id === undefined || responseId !== null) return;
          responseId = part.id;
          meter.answered?.(request, { responseId });
        },
        onEnd: (end) => meter.ended(request, { ...endOf(end), responseId }),
      });
      return { ...reply, stream };
    } catch (error) {
      meter.ended(request, { ...endOfThrown(error, request.signal), usage: null, responseId });
      throw error;
    }
  };
}

function endOf(end: StreamEnd): Omit<RequestEnd, 'responseId'> {
  switch (end.is) {
    case 'whole':
      return { is: 'whole', usage: end.finish.usage };
    case 'cut':
      return { is: 'cut', usage: null };
    case 'broken':
      return { is: 'broken', usage: null, error: end.error };
    case 'left':
      return { is: isLost(end.reason) ? 'lost-hedge' : 'left', usage: null, error: end.reason };
  }
}

function endOfThrown(error: unknown, signal: AbortSignal): Pick<RequestEnd, 'is' | 'error'> {
  if (error instanceof NotAdmitted) return { is: 'not-sent', error };
  if (signal.aborted) return { is: isLost(signal.reason) ? 'lost-hedge' : 'left', error: signal.reason };
  return { is: 'broken', error };
}

const isLost = (reason: unknown): boolean => reason instanceof LostHedge;
