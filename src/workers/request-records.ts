import type { EventStore, RequestOf, RequestOutcome, RunEvent, Usage } from '../contracts/events.ts';
import type { ModelCallRequest } from '../contracts/middleware.ts';
import type { CostMeter, RequestEnd } from '../middleware/index.ts';
import { readUsage } from '../policy/read-usage.ts';

export interface RequestRecordParts {
  readonly events: EventStore;
  readonly now: () => number;
  /** An end that could not be written: its request counts as an estimate. */
  readonly onLost: (error: unknown, run: string) => void;
}

/** Puts each request to a model on record: its start before it is sent, its end with what it used, losing hedges included. */
export function recordRequests({ events, now, onLost }: RequestRecordParts): CostMeter {
  return {
    started: async (request) => {
      await request.beforeSend?.();
      await events.append(request.caller.run, [{ type: 'request-sent', at: now(), ...aboutOf(request) }]);
    },
    ended: (request, end) => {
      const { run } = request.caller;
      events.append(run, [endOf(request, end, now())]).catch((error: unknown) => onLost(error, run));
    },
  };
}

function aboutOf({ caller, part, target, reason }: ModelCallRequest): RequestOf {
  const { turn, attempt } = caller;
  return { call: `t${turn}`, turn, attempt, part, account: target.account, model: target.model, reason };
}

function endOf(request: ModelCallRequest, { is, usage, responseId }: RequestEnd, at: number): RunEvent {
  // Below the breaker nothing is refused any more.
  const outcome: RequestOutcome = is === 'not-sent' ? 'left' : is;
  const counted: Usage = readUsage(usage ?? undefined);
  const named = responseId === null ? {} : { responseId };
  return { type: 'request-ended', at, ...aboutOf(request), outcome, usage: counted, ...named };
}
