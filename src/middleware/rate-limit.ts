import type { ModelMiddleware, ModelTarget } from '../contracts/middleware.ts';
import type { RateLimiter } from '../contracts/shared-limits.ts';

/** Waits for a token of the target's limiter; a target without one goes on at once. One limiter may serve many accounts. */
export function rateLimit(limiterOf: (target: ModelTarget) => RateLimiter | undefined): ModelMiddleware {
  return (next) => async (request) => {
    await limiterOf(request.target)?.take(request.signal);
    return next(request);
  };
}
