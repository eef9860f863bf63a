import type { LanguageModelV4CallOptions, LanguageModelV4StreamResult } from '@ai-sdk/provider';
import type { AttemptReason } from './shared-limits.ts';

/** Who asks. */
export interface ModelCaller {
  readonly run: string;
  readonly task: string;
  readonly agent: string;
  readonly turn: number;
  /** 1 for the first attempt of this call. One attempt may send several requests: see `ModelCallRequest.part`. */
  readonly attempt: number;
  /** When the server scheduled that attempt, epoch milliseconds: two of one number are told apart by it. */
  readonly scheduledAt?: number;
}

/** Whom it asks. */
export interface ModelTarget {
  /** Label of the provider account whose limits hold: two accounts at one provider are two. No secret. */
  readonly account: string;
  /** As the provider names it. */
  readonly model: string;
  /** Which of the agent's models: 0 is the primary, then the hedge's, then the fallback's. */
  readonly at: number;
}

/** One request to a model. Middleware hands on a copy, never a changed original. */
export interface ModelCallRequest {
  /** What the provider is asked. `abortSignal` is not in it: `signal` is the one that counts. */
  readonly options: Omit<LanguageModelV4CallOptions, 'abortSignal'>;
  readonly signal: AbortSignal;
  readonly caller: ModelCaller;
  readonly target: ModelTarget;
  readonly reason: AttemptReason;
  /** How long the attempt may take, in milliseconds. The caller keeps the time and aborts `signal`; this only says it. */
  readonly timeoutMs: number;
  /** 1 for the first request of this attempt. Hedges and fallbacks count on; the composed call sets it. */
  readonly part: number;
  /** Called, and waited for, before each request goes out: a request that is refused before is none. */
  readonly beforeSend?: () => Promise<void>;
  /** The attempt's own count of its requests: hand it on with the rest. */
  readonly parts?: { count: number };
}

/** What `LanguageModelV4.doStream` resolves with. */
export type ModelReplyStream = LanguageModelV4StreamResult;

/** Rejects when no stream began. One that breaks later carries an `error` part, or ends without a `finish` part. */
export type ModelCall = (request: ModelCallRequest) => Promise<ModelReplyStream>;

/** Wraps a model call inside one attempt. Called once when calls are composed; the call it returns, for each request. */
export type ModelMiddleware = (next: ModelCall) => ModelCall;

/** Every model that was asked failed. `errors` are the causes, in the order in which the models were asked. */
export class AllTargetsFailed extends AggregateError {
  override readonly name = 'AllTargetsFailed';
}

/** Why a hedge's signal was aborted: another request answered first. Its provider did nothing wrong. */
export class LostHedge extends Error {
  override readonly name = 'LostHedge';
  constructor() {
    super('Another model answered first.');
  }
}
