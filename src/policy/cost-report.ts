import type { CallCost, RunCost, TurnCost } from '../contracts/cost.ts';
import type { RunEvent } from '../contracts/events.ts';
import type { Prices } from '../contracts/price.ts';
import { callsOfEvents } from './calls-of-events.ts';
import { missingCosts } from './cost-look-up.ts';
import { costOfCalls, requestsOf } from './cost-of-calls.ts';
import { splitTime, type Stretch } from './split-time.ts';
import { stretchesOf } from './stretches-of.ts';
import { sumSpent } from './sum-costs.ts';

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
  const calls = costOfCalls({ events, prices, until, facts });
  const awaited = new Set(missingCosts(events).map(({ reply }) => reply.responseId));
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
    awaited: awaited.size,
    unpriced: unpricedIn(calls, awaited),
  };
}

function unpricedIn(calls: readonly CallCost[], awaited: ReadonlySet<string>): readonly string[] {
  const names = requestsOf(calls).flatMap(({ cost, account, model, responseId }) =>
    cost.is === 'unknown' && cost.why === 'no-price' && !awaited.has(responseId ?? '') ? [`${account}/${model}`] : [],
  );
  return [...new Set(names)];
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
