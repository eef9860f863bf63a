import type { AttemptCost, CallCost, RequestCost, RunCost, TurnCost } from '../contracts/cost.ts';
import type { RunEvent, Usage } from '../contracts/events.ts';
import type { Prices } from '../contracts/price.ts';
import { callsOfEvents, type AttemptFacts, type CallFacts, type RequestFacts } from './calls-of-events.ts';
import { costOfRequest, type CostBasis } from './cost-of-request.ts';
import { findPrice } from './find-price.ts';
import { targetOf } from './model-label.ts';
import { splitTime, type Stretch } from './split-time.ts';
import { stretchesOf } from './stretches-of.ts';
import { sumCosts, sumRequests } from './sum-costs.ts';
import { tokenRatios } from './token-ratio.ts';

export interface CostSources {
  readonly run: string;
  /** Of one run, in order. Some may be missing or come twice. */
  readonly events: readonly RunEvent[];
  /** The configuration's. */
  readonly prices?: Prices | undefined;
  /** Epoch milliseconds: what has not ended goes on until then. */
  readonly now: number;
  /** As the server has it: a run that was ended from outside did not say so itself. */
  readonly known?: { readonly status: string; readonly closedAt: number | undefined } | undefined;
}

/**
 * What a run has cost so far and where its time went, by turn, call, attempt and request, out of what is on record about it. Each
 * request counts once, whatever became of it; what a provider said twice is set, not added.
 */
export function costReport({ run, events, prices, now, known }: CostSources): RunCost {
  const started = events.find((event) => event.type === 'run-started');
  const ended = events.findLast((event) => event.type === 'run-ended');
  const endedAt = ended?.at ?? known?.closedAt ?? null;
  const until = endedAt ?? now;
  const facts = callsOfEvents(events);
  const turnOf = turnsOf(events);
  const basis = basisOf(events, prices);
  const calls = facts.map((call) => callCost(call, { turn: turnOf(call.call), until, basis }));
  const startedAt = started?.at ?? events[0]?.at ?? now;
  const stretches = stretchesOf(events, facts, until);
  const turns = turnCosts(calls, { stretches, until });
  return {
    run,
    agent: started?.agent ?? '',
    status: known?.status ?? ended?.status ?? 'running',
    startedAt,
    endedAt,
    turns,
    ...sumSpent(turns),
    time: splitTime(stretches, startedAt, until),
    unpriced: unpricedIn(calls),
  };
}

/** Of spent parts, what they are together. */
export const sumSpent = (parts: readonly Pick<RunCost, 'answer' | 'spend'>[]): Pick<RunCost, 'answer' | 'spend'> => ({
  answer: sumCosts(parts.map(({ answer }) => answer)),
  spend: sumCosts(parts.map(({ spend }) => spend)),
});

/** Every request of some calls, in order. */
export const requestsOf = (calls: readonly CallCost[]): readonly RequestCost[] =>
  calls.flatMap(({ attempts }) => attempts.flatMap(({ requests }) => requests));

function unpricedIn(calls: readonly CallCost[]): readonly string[] {
  const names = requestsOf(calls).flatMap(({ cost, account, model }) =>
    cost.is === 'unknown' && cost.why === 'no-price' ? [`${account}/${model}`] : [],
  );
  return [...new Set(names)];
}

function turnsOf(events: readonly RunEvent[]): (call: string) => number {
  const turns = new Map<string, number>();
  for (const event of events) if ('call' in event && 'turn' in event) turns.set(event.call, event.turn);
  return (call) => turns.get(call) ?? 0;
}

type BasisOf = (request: RequestFacts) => CostBasis;

function basisOf(events: readonly RunEvent[], prices: Prices | undefined): BasisOf {
  const ratioOf = tokenRatios(events);
  const found = new Map(events.flatMap((event) => (event.type === 'cost-found' ? [[replyKey(event), event]] : [])));
  return ({ sent, answered, end }) => {
    const responseId = end?.responseId ?? answered?.responseId;
    return {
      price: findPrice(sent, prices),
      ratio: ratioOf(sent),
      found: responseId === undefined ? undefined : found.get(replyKey({ account: sent.account, responseId })),
    };
  };
}

const replyKey = ({ account, responseId }: { account: string; responseId: string }): string =>
  `${account} ${responseId}`;

interface CallContext {
  readonly turn: number;
  readonly until: number;
  readonly basis: BasisOf;
}

function callCost(call: CallFacts, { turn, until, basis }: CallContext): CallCost {
  const { kind, name, attempts } = call;
  // A call that was made twice, because its first result was lost, has one answer.
  const winner = kind === 'model' ? attempts.findLastIndex(({ end }) => end?.outcome === 'success') : -1;
  const costs = attempts.map((attempt, at) => attemptCost(call, attempt, { isWinner: at === winner, basis }));
  const requests = costs.flatMap((attempt) => attempt.requests);
  const startedAt = attempts[0]?.startMs ?? call.startMs;
  const endedAt = endOf(call);
  return {
    call: call.call,
    turn,
    kind,
    name,
    startedAt,
    endedAt,
    tookMs: (endedAt ?? until) - startedAt,
    attempts: costs,
    answer: sumRequests(requests.filter(({ isAnswer }) => isAnswer)),
    spend: sumRequests(requests),
  };
}

function endOf({ kind, attempts, answered }: CallFacts): number | null {
  if (kind === 'tool') return answered?.at ?? null;
  const end = attempts.at(-1)?.end;
  return end && end.nextWaitMs === undefined ? end.at : null;
}

function attemptCost(
  call: CallFacts,
  attempt: AttemptFacts,
  { isWinner, basis }: { readonly isWinner: boolean; readonly basis: BasisOf },
): AttemptCost {
  const { number, startMs, end, passedChars } = attempt;
  const facts = isWinner ? withLostEnd(attempt) : attempt.requests;
  const counted = facts.length > 0 || call.kind === 'tool' ? facts : unmetered(call, attempt);
  // Only one of an attempt's requests is passed on; a loser is ended when another wins.
  const open = counted.findLastIndex((request) => !request.end);
  const requests = counted.map((request, at) =>
    requestCost(request, { isWinner, basis: { ...basis(request), ...(at === open && { passedChars }) } }),
  );
  return {
    attempt: number,
    startedAt: startMs,
    endedAt: end?.at ?? null,
    outcome: end?.outcome ?? null,
    requests,
    spend: sumRequests(requests),
  };
}

/** The end of the request that an attempt has its answer from may not have been written; the attempt's own end has its tokens. */
function withLostEnd({ requests, end }: AttemptFacts): readonly RequestFacts[] {
  const open = requests.filter((request) => !request.end);
  const isTold = requests.some((request) => request.end?.outcome === 'whole');
  if (isTold || open.length !== 1 || !end?.usage) return requests;
  const { at, usage } = end;
  return requests.map((request) => {
    if (request.end) return request;
    const { inputChars: _, ...about } = request.sent;
    return { ...request, end: { ...about, type: 'request-ended', at, outcome: 'whole', usage } };
  });
}

/** An attempt that tells what it used and has no request on record: of an older version. One that tells nothing sent nothing. */
function unmetered({ call, name }: CallFacts, { number, startMs, end }: AttemptFacts): readonly RequestFacts[] {
  if (!end?.usage) return [];
  const { usage, at, turn } = end;
  const { account, model } = targetOf(name, 0);
  const about = { call, turn, attempt: number, part: 1, account, model, reason: 'first' } as const;
  const outcome = end.outcome === 'success' ? 'whole' : 'broken';
  return [
    {
      sent: { type: 'request-sent', at: startMs, ...about },
      end: { type: 'request-ended', at, ...about, outcome, usage },
    },
  ];
}

const UNKNOWN: Usage = Object.freeze({
  inputTokens: null,
  outputTokens: null,
  cacheReadTokens: null,
  cacheWriteTokens: null,
});

function requestCost(
  facts: RequestFacts,
  { isWinner, basis }: { readonly isWinner: boolean; readonly basis: CostBasis },
): RequestCost {
  const { sent, answered, end } = facts;
  const { call, turn, attempt, part, account, model, reason } = sent;
  return {
    ...{ call, turn, attempt, part, account, model, reason },
    sentAt: sent.at,
    endedAt: end?.at ?? null,
    outcome: end?.outcome ?? null,
    usage: basis.found?.usage ?? end?.usage ?? UNKNOWN,
    responseId: end?.responseId ?? answered?.responseId ?? null,
    cost: costOfRequest(facts, basis),
    isAnswer: isWinner && end?.outcome === 'whole',
  };
}

interface TurnContext {
  readonly stretches: readonly Stretch[];
  readonly until: number;
}

/** A turn lasts until the next one begins. */
function turnCosts(calls: readonly CallCost[], { stretches, until }: TurnContext): readonly TurnCost[] {
  const numbers = [...new Set(calls.map(({ turn }) => turn))].sort((a, b) => a - b);
  const begun = numbers.map((turn) => {
    const own = calls.filter((call) => call.turn === turn);
    return { turn, calls: own, startedAt: Math.min(...own.map(({ startedAt }) => startedAt)) };
  });
  return begun.map((turn, at) => ({
    ...turn,
    ...sumSpent(turn.calls),
    time: splitTime(stretches, turn.startedAt, begun[at + 1]?.startedAt ?? until),
  }));
}
