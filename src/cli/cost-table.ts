import type { CostTotals } from '../contracts/bill.ts';
import type { AttemptCost, CallCost, RequestCost, RunCost, TimeSplit } from '../contracts/cost.ts';
import { sumFields } from '../policy/sum-fields.ts';
import { requestsOf } from '../policy/cost-of-calls.ts';
import { sumSpent } from '../policy/sum-costs.ts';

export type CostGrouping = 'agent' | 'turn' | 'call' | 'attempt';

/** One line of a cost table: as much of it is named as it is about. */
export interface CostRow {
  readonly agent: string;
  /** Of an agent: how many. */
  readonly runs?: number;
  readonly run?: string;
  readonly turn?: number;
  readonly call?: string;
  readonly kind?: 'model' | 'tool';
  readonly name?: string;
  /** Of a call: how many. Of an attempt: its number. */
  readonly attempts?: number;
  readonly attempt?: number;
  readonly outcome?: AttemptCost['outcome'];
  /** Of an attempt: nothing says that it is over, and its run goes on. */
  readonly isUnderWay?: boolean;
  readonly tookMs: number;
  readonly spend: CostTotals;
  readonly answer?: CostTotals;
  readonly time?: TimeSplit;
  readonly requests?: readonly RequestCost[];
}

/** What some runs cost: all together, and line by line. */
export interface CostTable {
  readonly by: CostGrouping;
  /** The one run, where only one was asked for. */
  readonly run?: Pick<RunCost, 'run' | 'agent' | 'status' | 'startedAt' | 'endedAt'>;
  /** Epoch milliseconds: where all runs since then were asked for. */
  readonly since?: number;
  readonly runs: number;
  /** Runs that have not ended. */
  readonly running: number;
  readonly spend: CostTotals;
  readonly answer: CostTotals;
  readonly time: TimeSplit;
  /** As in `RunCost`. */
  readonly awaited: number;
  readonly unpriced: readonly string[];
  /** Where the tokens of estimates come from, the most frequent first. */
  readonly estimates: readonly string[];
  readonly rows: readonly CostRow[];
  readonly isSlowestFirst: boolean;
}

export interface CostTableOptions {
  readonly by: CostGrouping;
  readonly isSlowestFirst: boolean;
  /** Only one run was asked for. */
  readonly isOne: boolean;
  readonly since?: number;
}

/** Sorts the costs of runs into lines: in order of time, what cost most first for agents, or what took longest. */
export function costTable(costs: readonly RunCost[], options: CostTableOptions): CostTable {
  const { by, isSlowestFirst, isOne, since } = options;
  const [one] = costs;
  const oldestFirst = costs.toReversed();
  const rows = ROWS[by](oldestFirst);
  return {
    by,
    ...(isOne && one && { run: pick(one) }),
    ...(since !== undefined && !isOne && { since }),
    runs: costs.length,
    running: costs.filter(({ endedAt }) => endedAt === null).length,
    ...sumSpent(costs),
    time: sumTimes(costs.map(({ time }) => time)),
    awaited: costs.reduce((sum, { awaited }) => sum + awaited, 0),
    unpriced: [...new Set(costs.flatMap(({ unpriced }) => unpriced))],
    estimates: estimatesIn(costs),
    rows: isSlowestFirst ? rows.toSorted((a, b) => b.tookMs - a.tookMs) : rows,
    isSlowestFirst,
  };
}

const pick = ({ run, agent, status, startedAt, endedAt }: RunCost) => ({ run, agent, status, startedAt, endedAt });

const ROWS: Readonly<Record<CostGrouping, (costs: readonly RunCost[]) => readonly CostRow[]>> = {
  agent: byAgent,
  turn: (costs) =>
    costs.flatMap(({ run, agent, turns }) =>
      turns.map(({ turn, spend, answer, time }) => ({ agent, run, turn, tookMs: time.totalMs, spend, answer, time })),
    ),
  call: (costs) => costs.flatMap(callRows),
  attempt: (costs) => costs.flatMap((cost) => callsOf(cost).flatMap((call) => attemptRows(cost, call))),
};

function byAgent(costs: readonly RunCost[]): readonly CostRow[] {
  const agents = [...new Set(costs.map(({ agent }) => agent))];
  const rows = agents.map((agent): CostRow => {
    const own = costs.filter((cost) => cost.agent === agent);
    const time = sumTimes(own.map((cost) => cost.time));
    return { agent, runs: own.length, tookMs: time.totalMs, ...sumSpent(own), time };
  });
  return rows.toSorted((a, b) => b.spend.micros - a.spend.micros);
}

const callsOf = ({ turns }: RunCost): readonly CallCost[] => turns.flatMap(({ calls }) => calls);

const callRows = (cost: RunCost): readonly CostRow[] =>
  callsOf(cost).map(({ call, turn, kind, name, tookMs, attempts, spend, answer }) => {
    return {
      ...{ agent: cost.agent, run: cost.run, turn, call, kind, name, tookMs },
      attempts: attempts.length,
      spend,
      answer,
    };
  });

function attemptRows(
  { run, agent, endedAt: runEndedAt }: RunCost,
  { call, turn, kind, name, attempts, startedAt, endedAt, tookMs }: CallCost,
) {
  return attempts.map((attempt, at): CostRow => {
    // Without a word of its end it lasted until the next one began, or goes on.
    const until = attempt.endedAt ?? attempts[at + 1]?.startedAt ?? startedAt + tookMs;
    const isLast = at === attempts.length - 1;
    return {
      ...{ agent, run, turn, call, kind, name, attempt: attempt.attempt, outcome: attempt.outcome },
      isUnderWay: isLast && attempt.outcome === null && endedAt === null && runEndedAt === null,
      tookMs: Math.max(0, until - attempt.startedAt),
      spend: attempt.spend,
      requests: attempt.requests,
    };
  });
}

function estimatesIn(costs: readonly RunCost[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const { cost } of requestsOf(costs.flatMap(callsOf))) {
    if (cost.is === 'estimate') counts.set(cost.how, (counts.get(cost.how) ?? 0) + 1);
  }
  return [...counts].toSorted(([, a], [, b]) => b - a).map(([how]) => how);
}

const NO_TIME: TimeSplit = {
  totalMs: 0,
  modelMs: 0,
  toolsMs: 0,
  peopleMs: 0,
  providerMs: 0,
  retriesMs: 0,
  otherMs: 0,
};

const sumTimes = (times: readonly TimeSplit[]): TimeSplit => sumFields(NO_TIME, times);
