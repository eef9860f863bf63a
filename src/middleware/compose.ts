import type { ModelCall, ModelMiddleware } from '../contracts/middleware.ts';

/** The parts of a model call, outermost first. Each that is left out, or false, is switched off. */
export interface ModelCallParts {
  /** The user's own, around everything. */
  readonly use?: readonly ModelMiddleware[];
  readonly fallback?: ModelMiddleware | false;
  readonly hedge?: ModelMiddleware | false;
  /** From here on once for each request: each hedge and each fallback passes through. */
  readonly costMeter?: ModelMiddleware | false;
  readonly rateLimit?: ModelMiddleware | false;
  readonly breaker?: ModelMiddleware | false;
  readonly provider: ModelCall;
}

/** Wraps a call in middleware, the outermost first. */
export function wrapCall(middleware: readonly ModelMiddleware[], call: ModelCall): ModelCall {
  return middleware.reduceRight((next, wrap) => wrap(next), call);
}

/** The composed model call, for any number of attempts. It numbers the requests each of them makes, in `part`. */
export function composeModelCall(parts: ModelCallParts): ModelCall {
  const { use = [], costMeter, rateLimit, breaker, provider } = parts;
  const built = [parts.fallback, parts.hedge, numberRequests, costMeter, rateLimit, breaker].filter((part) => !!part);
  const call = wrapCall([...use, ...built], provider);
  return (request) => call({ ...request, parts: { count: 0 } });
}

const numberRequests: ModelMiddleware = (next) => (request) => {
  const counted = request.parts;
  return next(counted ? { ...request, part: ++counted.count } : request);
};
