import type { Clock } from '../contracts/clock.ts';
import {
  LostHedge,
  type ModelCall,
  type ModelCallRequest,
  type ModelMiddleware,
  type ModelReplyStream,
  type ModelTarget,
} from '../contracts/middleware.ts';
import { awaitAnswer } from './await-answer.ts';
import { joinCauses } from './join-causes.ts';
import { leave } from './observe-stream.ts';

export interface HedgeOptions {
  /** Who is asked beside a primary that is slow, in this order. */
  readonly backups: readonly ModelTarget[];
  /** How long each is waited for before the next is asked, in milliseconds. 0: all at once. */
  readonly afterMs: number;
  /** Which requests are hedged. Default: all. Those of a fallback usually are not. */
  readonly isHedged?: (request: ModelCallRequest) => boolean;
  readonly clock: Clock;
}

/**
 * Asks the primary at once, a backup after `afterMs`, and the next at once when one fails. The first that begins to answer
 * wins; the others are aborted with LostHedge and end in the cost meter below. Each request passes the limits below as
 * a hedge, so in an outage they refuse it. Rejects with the only cause, with AllTargetsFailed, or with the signal's reason.
 */
export function hedge({ backups, afterMs, isHedged = () => true, clock }: HedgeOptions): ModelMiddleware {
  if (!(afterMs >= 0)) throw new RangeError(`A hedge's afterMs is ${afterMs}: give milliseconds, or 0 for at once.`);
  if (backups.length === 0) return (next) => next;
  return (next) => async (request) => {
    if (!isHedged(request)) return next(request);
    const rest = backups.map((target) => ({ ...request, target, reason: 'hedge' }) as const);
    return race(next, [request, ...rest], { afterMs, clock, signal: request.signal });
  };
}

interface RaceRules {
  readonly afterMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

type News =
  | { readonly is: 'answer'; readonly runner: Runner; readonly reply: ModelReplyStream }
  | { readonly is: 'failure'; readonly runner: Runner; readonly error: unknown }
  | { readonly is: 'time' };

interface Runner {
  readonly abort: (reason: unknown) => void;
  readonly news: Promise<News>;
}

async function race(
  next: ModelCall,
  requests: readonly ModelCallRequest[],
  rules: RaceRules,
): Promise<ModelReplyStream> {
  const waiting = [...requests];
  const causes = new Map<number, unknown>();
  const order: Runner[] = [];
  let running: Runner[] = [];
  const startNext = () => {
    const request = waiting.shift();
    if (!request) return;
    const runner = start(next, request);
    order.push(runner);
    running.push(runner);
  };
  startNext();
  try {
    while (running.length > 0) {
      const news = await firstNews(running, waiting.length > 0, rules);
      if (news.is === 'time') {
        startNext();
        continue;
      }
      running = running.filter((runner) => runner !== news.runner);
      if (news.is === 'answer') return news.reply;
      rules.signal.throwIfAborted();
      causes.set(order.indexOf(news.runner), news.error);
      startNext();
    }
    throw joinCauses([...causes].sort(([a], [b]) => a - b).map(([, cause]) => cause));
  } finally {
    for (const runner of running) dismiss(runner);
  }
}

function start(next: ModelCall, request: ModelCallRequest): Runner {
  const controller = new AbortController();
  const signal = AbortSignal.any([request.signal, controller.signal]);
  const answer = async () => awaitAnswer(await next({ ...request, signal }), signal);
  const runner: Runner = {
    abort: (reason) => controller.abort(reason),
    news: answer().then(
      (reply) => ({ is: 'answer', runner, reply }),
      (error: unknown) => ({ is: 'failure', runner, error }),
    ),
  };
  return runner;
}

/** The first word of a runner, or that it is time for the next. The timer ends with the question. */
async function firstNews(
  running: readonly Runner[],
  isMore: boolean,
  { afterMs, clock, signal }: RaceRules,
): Promise<News> {
  const heard = new AbortController();
  const news = running.map((runner) => runner.news);
  const time = isMore ? [timeUp(clock, afterMs, AbortSignal.any([signal, heard.signal]))] : [];
  try {
    return await Promise.race([...news, ...time]);
  } finally {
    heard.abort();
  }
}

async function timeUp(clock: Clock, afterMs: number, signal: AbortSignal): Promise<News> {
  try {
    await clock.wait(afterMs, signal);
    return { is: 'time' };
  } catch {
    // Heard first, or the whole request ended: then its runners say so.
    return new Promise<News>(() => undefined);
  }
}

/** A loser's request is aborted; a stream that it has begun in the same moment is left. */
function dismiss(runner: Runner): void {
  const reason = new LostHedge();
  runner.abort(reason);
  void runner.news.then((news) => {
    if (news.is === 'answer') leave(news.reply.stream, reason);
  });
}
