import type { Clock } from '../contracts/clock.ts';
import type { Failure } from '../contracts/failure.ts';
import {
  LostHedge,
  type ModelCallRequest,
  type ModelMiddleware,
  type ModelReplyStream,
} from '../contracts/middleware.ts';
import {
  accountKey,
  NotAdmitted,
  ProbeFailed,
  type AttemptReport,
  type SharedLimits,
  type Ticket,
} from '../contracts/shared-limits.ts';
import { countsAgainst } from '../policy/counts-against.ts';
import { BrokenAnswer, judgeAnswer } from '../policy/judge-answer.ts';
import { parkWaitMs } from '../policy/park-wait.ts';
import { beginsAnswer } from '../policy/read-part.ts';
import { readUsage } from '../policy/read-usage.ts';
import { awaitAnswer } from './await-answer.ts';
import { observeStream, type StreamEnd } from './observe-stream.ts';

export interface BreakerOptions {
  readonly limits: SharedLimits;
  readonly clock: Clock;
  /** Names what a provider threw. When the request's signal is aborted it is asked about the signal's reason. */
  readonly classify: (error: unknown, request: ModelCallRequest) => Failure;
}

/**
 * Asks the shared limits of the target's account before each request, and tells them how it went.
 * Its call rejects with NotAdmitted when nothing may be sent now, and with ProbeFailed when a probe found nobody.
 */
export function breaker(options: BreakerOptions): ModelMiddleware {
  const { limits, clock } = options;
  return (next) => async (request) => {
    const key = accountKey(request.target.account);
    const { reason, timeoutMs } = request;
    const admission = await limits.admit(key, { reason, timeoutMs });
    if (admission.is === 'refused') {
      throw new NotAdmitted(key, admission.why, parkWaitMs(admission, clock.dice()));
    }
    const witness = createWitness(options, request, admission.ticket);
    const isProbe = admission.ticket.role === 'probe';
    try {
      const reply = witness.watch(await next(request));
      // A probe is over with the first piece of an answer; until then its end is ours to tell.
      return isProbe ? await awaitAnswer(reply, request.signal) : reply;
    } catch (error) {
      const how = await witness.end(error);
      if (!isProbe || how !== 'failure') throw error;
      const [seen] = await limits.snapshot(key);
      throw new ProbeFailed(
        key,
        parkWaitMs({ waitMs: seen?.probeInMs ?? 0, spreadMs: seen?.spreadMs ?? 0 }, clock.dice()),
        error,
      );
    }
  };
}

/** Tells the limits of one request: that it is answering, and how it ended, once. */
function createWitness({ limits, classify }: BreakerOptions, request: ModelCallRequest, ticket: Ticket) {
  const { signal, target } = request;
  let ended: AttemptReport | undefined;
  let isAnswering = false;
  // An attempt that cannot report counts as lost after its own time.
  const report = (how: AttemptReport) => limits.report(accountKey(target.account), ticket, how).catch(() => undefined);
  const judge = (error: unknown): AttemptReport => {
    const cause: unknown = signal.aborted ? signal.reason : error;
    if (cause instanceof LostHedge) return 'neutral';
    return countsAgainst(classify(cause, request)) ? 'failure' : 'neutral';
  };
  const conclude = async (how: AttemptReport): Promise<AttemptReport> => {
    if (ended) return ended;
    ended = how;
    await report(how);
    return how;
  };
  return {
    watch: (reply: ModelReplyStream): ModelReplyStream => ({
      ...reply,
      stream: observeStream(reply.stream, {
        signal,
        onPart: (part) => {
          if (isAnswering || !beginsAnswer(part)) return;
          isAnswering = true;
          void report('answering');
        },
        onEnd: (end) => void conclude(reportOf(end, judge, isAnswering)),
      }),
    }),
    /** How it ended, of one that threw. */
    end: (error: unknown) => conclude(judge(error)),
  };
}

/** A reply that says how it ended is judged by that: an empty one, or an error in the place of a reason, is a failure. */
function reportOfFinish(
  { finishReason, usage }: Extract<StreamEnd, { is: 'whole' }>['finish'],
  judge: (error: unknown) => AttemptReport,
  hasContent: boolean,
): AttemptReport {
  const about = { streamed: true, begun: true, calls: [], open: [], isKept: false, headers: {} };
  // What it said does not matter here, only that it said something.
  const facts = { ...about, text: hasContent ? '…' : '', finish: finishReason, usage: readUsage(usage) };
  return judgeAnswer(facts).is === 'whole' ? 'success' : judge(new BrokenAnswer(facts));
}

function reportOf(end: StreamEnd, judge: (error: unknown) => AttemptReport, hasContent: boolean): AttemptReport {
  switch (end.is) {
    case 'whole':
    case 'cut':
      return end.finish === undefined ? 'failure' : reportOfFinish(end.finish, judge, hasContent);
    case 'broken':
      return judge(end.error);
    case 'left':
      return judge(end.reason);
  }
}
