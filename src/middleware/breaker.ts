import type { Clock } from '../contracts/clock.ts';
import type { Failure } from '../contracts/failure.ts';
import { LostHedge, type ModelCallRequest, type ModelMiddleware } from '../contracts/middleware.ts';
import { accountKey, NotAdmitted, type AttemptReport, type SharedLimits } from '../contracts/shared-limits.ts';
import { countsAgainst } from '../policy/counts-against.ts';
import { parkWaitMs } from '../policy/park-wait.ts';
import { beginsAnswer } from '../policy/read-part.ts';
import { observeStream, type StreamEnd } from './observe-stream.ts';

export interface BreakerOptions {
  readonly limits: SharedLimits;
  readonly clock: Clock;
  /** Names what a provider threw. When the request's signal is aborted it is asked about the signal's reason. */
  readonly classify: (error: unknown, request: ModelCallRequest) => Failure;
}

/**
 * Asks the shared limits of the target's account before each request, and tells them how it went.
 * Its call rejects with NotAdmitted when nothing may be sent now.
 */
export function breaker({ limits, clock, classify }: BreakerOptions): ModelMiddleware {
  return (next) => async (request) => {
    const { target, reason, timeoutMs, signal } = request;
    const key = accountKey(target.account);
    const admission = await limits.admit(key, { reason, timeoutMs });
    if (admission.is === 'refused') {
      throw new NotAdmitted(key, admission.why, parkWaitMs(admission.waitMs, clock.dice()));
    }
    const report = (how: AttemptReport) => {
      // An attempt that cannot report counts as lost after its own time.
      limits.report(key, admission.ticket, how).catch(() => undefined);
    };
    const judge = (error: unknown): AttemptReport => {
      const cause: unknown = signal.aborted ? signal.reason : error;
      if (cause instanceof LostHedge) return 'neutral';
      return countsAgainst(classify(cause, request)) ? 'failure' : 'neutral';
    };
    try {
      const reply = await next(request);
      let isAnswering = false;
      const stream = observeStream(reply.stream, {
        signal,
        onPart: (part) => {
          if (isAnswering || !beginsAnswer(part)) return;
          isAnswering = true;
          report('answering');
        },
        onEnd: (end) => report(reportOf(end, judge)),
      });
      return { ...reply, stream };
    } catch (error) {
      report(judge(error));
      throw error;
    }
  };
}

function reportOf(end: StreamEnd, judge: (error: unknown) => AttemptReport): AttemptReport {
  switch (end.is) {
    case 'whole':
      return 'success';
    case 'cut':
      return 'failure';
    case 'broken':
      return judge(end.error);
    case 'left':
      return judge(end.reason);
  }
}
