import type { Clock } from '../contracts/clock.ts';
import type { Failure } from '../contracts/failure.ts';
import type { ToolCallRequest, ToolMiddleware } from '../contracts/middleware.ts';
import { NotAdmitted, toolKey, type AttemptReport, type SharedLimits } from '../contracts/shared-limits.ts';
import { countsAgainst } from '../policy/counts-against.ts';
import { parkWaitMs } from '../policy/park-wait.ts';

export interface ToolBreakerOptions {
  readonly limits: SharedLimits;
  readonly clock: Clock;
  /** Names what the tool threw. Whose mistake it is decides whether it counts. */
  readonly classify: (error: unknown, request: ToolCallRequest) => Failure;
}

/**
 * Asks the shared limits of the tool before its body runs, and tells them how it went; a body that outlives its time counts
 * as a failure then. Its call rejects with NotAdmitted when the body may not run now: provably nothing happened.
 */
export function toolBreaker({ limits, clock, classify }: ToolBreakerOptions): ToolMiddleware {
  return (next) => async (request) => {
    const { tool, ctx } = request;
    const key = toolKey(tool.name);
    const reason = ctx.attempt > 1 ? 'retry' : 'first';
    const admission = await limits.admit(key, { reason, timeoutMs: tool.timeoutMs });
    if (admission.is === 'refused') {
      throw new NotAdmitted(key, admission.why, parkWaitMs(admission, clock.dice()));
    }
    const settled = new AbortController();
    const report = (how: AttemptReport) => {
      if (settled.signal.aborted) return;
      settled.abort();
      limits.report(key, admission.ticket, how).catch(() => undefined);
    };
    clock.wait(tool.timeoutMs, settled.signal).then(
      () => report('failure'),
      () => undefined,
    );
    try {
      const result = await next(request);
      report('success');
      return result;
    } catch (error) {
      report(countsAgainst(classify(error, request)) ? 'failure' : 'neutral');
      throw error;
    }
  };
}
