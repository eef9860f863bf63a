import type { ModelCall, ModelMiddleware } from '../contracts/middleware.ts';

/** The parts of a model call, outermost first. Each that is left out, or false, is switched off. */
export interface ModelCallParts {
  /** The user's own, around everything. */
  readonly use?: readonly ModelMiddleware[];
  readonly fallback?: ModelMiddleware | false;
  readonly hedge?: ModelMiddleware | false;
  /** From here on once for each request: each hedge and each fallback passes through. */
  readonly rateLimit?: ModelMiddleware | false;
  readonly breaker?: ModelMiddleware | false;
  /** Below the breaker: what it keeps from being sent is on no bill. */
  readonly costMeter?: ModelMiddleware | false;
  readonly patience?: ModelMiddleware | false;
  readonly provider: ModelCall;
}

/** Wraps a call in middleware, the outermost first. */
export function wrapCall(middleware: readonly ModelMiddleware[], call: ModelCall): ModelCall {
  return middleware.reduceRight((next, wrap) => wrap(next), call);
}

/** The composed model call, for any number of attempts. It numbers the requests each of them makes, in `part`. */
export function composeModelCall(parts: ModelCallParts): ModelCall {
  const { use = [], rateLimit, breaker, costMeter, patience, provider } = parts;
  const built = [parts.fallback, parts.hedge, numberRequests, rateLimit, breaker, costMeter, patience].filter(
    (part) => !!part,
  );
  const call = wrapCall([...use, ...built], provider);
  return (request) => call({ ...request, parts: { count: 0 } });
}

const numberRequests: ModelMiddleware = (next) => (request) => {
  const counted = request.parts;
  return next(counted ? { ...request, part: ++counted.count } : request);
};
