import type { AttemptCost, CallCost, RequestCost } from '../contracts/cost.ts';
import type { RunEvent, Usage } from '../contracts/events.ts';
import type { Prices } from '../contracts/price.ts';
import { callsOfEvents, type AttemptFacts, type CallFacts, type RequestFacts } from './calls-of-events.ts';
import { costOfRequest, type CostBasis } from './cost-of-request.ts';
import { findPrice } from './find-price.ts';
import { targetOf } from './model-label.ts';
import { sumRequests } from './sum-costs.ts';
import { tokenRatios } from './token-ratio.ts';

export interface CallSources {
  /** Of one run, in order. Some may be missing or come twice. */
  readonly events: readonly RunEvent[];
  /** The configuration's. */
  readonly prices?: Prices | undefined;
  /** Epoch milliseconds: what has not ended goes on until then. */
  readonly until: number;
  /** What the events say of each call, where that is known already. */
  readonly facts?: readonly CallFacts[];
}

/** What each call of a run has cost so far, by attempt and request. Each request counts once, whatever became of it. */
export function costOfCalls({
  events,
  prices,
  until,
  facts = callsOfEvents(events),
}: CallSources): readonly CallCost[] {
  const turnOf = turnsOf(events);
  const basis = basisOf(events, prices);
  return facts.map((call) => callCost(call, { turn: turnOf(call.call), until, basis }));
}

/** Every request of some calls, in order. */
export const requestsOf = (calls: readonly CallCost[]): readonly RequestCost[] =>
  calls.flatMap(({ attempts }) => attempts.flatMap(({ requests }) => requests));

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

/** What was found later beats what was said at the end, as far as it says anything. */
function knownUsage(said: Usage = UNKNOWN, found: Usage = UNKNOWN): Usage {
  return {
    inputTokens: found.inputTokens ?? said.inputTokens,
    outputTokens: found.outputTokens ?? said.outputTokens,
    cacheReadTokens: found.cacheReadTokens ?? said.cacheReadTokens,
    cacheWriteTokens: found.cacheWriteTokens ?? said.cacheWriteTokens,
  };
}

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
    usage: knownUsage(end?.usage, basis.found?.usage),
    responseId: end?.responseId ?? answered?.responseId ?? null,
    cost: costOfRequest(facts, basis),
    isAnswer: isWinner && end?.outcome === 'whole',
  };
}
