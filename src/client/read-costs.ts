import type { RunCost } from '../contracts/cost.ts';
import { costReport } from '../policy/cost-report.ts';
import { readCostEvents } from '../policy/read-cost-events.ts';
import type { ClientParts } from './client-parts.ts';
import { describeRun, runsBy, type RunRow } from './list-runs.ts';
import { mapAtOnce } from './map-at-once.ts';

export interface CostQuery {
  readonly run?: string;
  readonly agent?: string;
  /** Only runs that began at this time or later, epoch milliseconds. Default: all that the server knows. */
  readonly since?: number;
  /** At most so many, the newest. Default 1,000. */
  readonly limit?: number;
}

/** The events of so many runs are read at the same time. */
const PACE = Object.freeze({ most: 8, withinMs: 120_000 });
const LIMIT = 1_000;

/** What runs have cost, newest first. One run is found by its events also when the server has forgotten it. */
export async function readCosts(parts: ClientParts, query: CostQuery = {}): Promise<readonly RunCost[]> {
  const { run } = query;
  const rows = run === undefined ? await rowsOf(parts, query) : [(await describeRun(parts.client, run)) ?? { run }];
  const costs = await mapAtOnce(rows, PACE, (row) => costOf(parts, row, run !== undefined));
  const missing = costs.filter((cost) => cost === undefined).length;
  if (missing > 0)
    throw new Error(`The events of ${missing} runs could not be read in time. Ask for fewer: name a time or an agent.`);
  return costs.filter((cost) => cost !== undefined && cost !== null);
}

type Row = Pick<RunRow, 'run'> & Partial<RunRow>;

async function rowsOf(parts: ClientParts, { agent, since, limit = LIMIT }: CostQuery): Promise<readonly Row[]> {
  const rows: Row[] = [];
  const condition = since === undefined ? undefined : `StartTime >= "${new Date(since).toISOString()}"`;
  for await (const row of runsBy(parts, condition)) {
    // A server without our search attributes does not know it; the run's events do.
    if (agent === undefined || row.agent === agent || row.agent === '') rows.push(row);
    if (rows.length >= limit) break;
  }
  return rows;
}

/** Null when nothing is known of it: the server lists runs whose events are kept elsewhere, and those did not cost nothing. */
async function costOf(parts: ClientParts, row: Row, isNamed: boolean): Promise<RunCost | null> {
  const { run, status, closedAt, startedAt } = row;
  const events = await readCostEvents(parts.events, run);
  if (events.length === 0 && !(isNamed && startedAt !== undefined)) return null;
  const cost = costReport({
    run,
    events,
    prices: parts.prices,
    now: Date.now(),
    ...(status !== undefined && { known: { status, closedAt } }),
  });
  return { ...cost, agent: cost.agent || (row.agent ?? ''), startedAt: startedAt ?? cost.startedAt };
}
