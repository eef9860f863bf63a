import type { EndRecords } from '../contracts/end-records.ts';
import type { EventStore } from '../contracts/event-store.ts';
import type { RequestOf, RequestOutcome, RunEvent, ScheduledAttempt, Usage } from '../contracts/events.ts';
import type { ModelCallRequest } from '../contracts/middleware.ts';
import type { CostMeter, RequestEnd } from '../middleware/index.ts';
import { canLookUp, replyIdIn } from '../policy/cost-look-up.ts';
import { countInputChars } from '../policy/count-input-chars.ts';
import { nameAttemptError } from '../policy/name-attempt-error.ts';
import { readUsage } from '../policy/read-usage.ts';

export interface RequestRecordParts {
  readonly events: EventStore;
  readonly now: () => number;
  readonly ends: Pick<EndRecords, 'write'>;
}

/** Puts each request to a model on record: its start before it is sent, its end with what it used, losing hedges included. */
export function recordRequests({ events, now, ends }: RequestRecordParts): CostMeter {
  const named = new WeakMap<ModelCallRequest, string>();
  const write = (request: ModelCallRequest, event: RunEvent) => void ends.write(request.caller.run, event);
  return {
    started: async (request) => {
      await request.beforeSend?.();
      const inputChars = countInputChars(request.options);
      await events.append(request.caller.run, [{ type: 'request-sent', at: now(), ...aboutOf(request), inputChars }]);
    },
    answered: (request, { headers, responseId = headers && replyIdIn(headers) }) => {
      if (responseId === undefined || named.has(request) || !canLookUp(request.target.account)) return;
      named.set(request, responseId);
      write(request, { type: 'request-answered', at: now(), ...aboutOf(request), responseId });
    },
    ended: (request, end) => {
      const responseId = end.responseId ?? named.get(request) ?? null;
      write(request, endOf(request, { ...end, responseId }, now()));
    },
  };
}

function aboutOf({ caller, part, target, reason }: ModelCallRequest): RequestOf & ScheduledAttempt {
  const { turn, attempt, scheduledAt } = caller;
  const about = { call: `t${turn}`, turn, attempt, part, account: target.account, model: target.model, reason };
  return scheduledAt === undefined ? about : { ...about, scheduledAt };
}

function endOf(request: ModelCallRequest, end: RequestEnd, at: number): RunEvent {
  const { is, usage, outputChars, costMicros, responseId } = end;
  // Below the breaker nothing is refused any more.
  const outcome: RequestOutcome = is === 'not-sent' ? 'left' : is;
  const counted: Usage = readUsage(usage ?? undefined);
  return {
    ...{ type: 'request-ended', at, ...aboutOf(request), outcome, usage: counted, outputChars },
    ...(costMicros !== null && { costMicros }),
    ...(isFree(end, at) && { billed: 'no' }),
    ...(responseId !== null && { responseId }),
  };
}

/** Never guessed: only of what did not begin, and the provider refused or never got. */
function isFree({ is, begun, error }: RequestEnd, now: number): boolean {
  if (is === 'not-sent') return true;
  return is === 'broken' && !begun && nameAttemptError(error, { now }).billed === 'no';
}
