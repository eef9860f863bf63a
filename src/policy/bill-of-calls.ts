import type { Bill, CallBill } from '../contracts/bill.ts';
import type { CallCost, Cost } from '../contracts/cost.ts';
import type { RunEvent } from '../contracts/events.ts';
import type { Prices } from '../contracts/price.ts';
import { missingCosts } from './cost-look-up.ts';
import { costOfCalls, requestsOf } from './cost-of-calls.ts';
import { sumSpent } from './sum-costs.ts';

export interface BillSources {
  /** Of one run, in order. */
  readonly events: readonly RunEvent[];
  readonly prices?: Prices | undefined;
}

/** What one model call has cost so far. Undefined when nothing of it is on record: then it is not known, and not 0. */
export function billOfCall(call: string, sources: BillSources): CallBill | undefined {
  const cost = costsOf(sources).find((one) => one.call === call);
  return cost && { ...sumBill([cost]), isMissing: callsMissing(sources).includes(call) };
}

/** What all model calls of a run have cost together, and those of which a cost is missing that its provider can be asked for. */
export function billOfRun(sources: BillSources): { readonly bill: Bill; readonly missing: readonly string[] } {
  return { bill: sumBill(costsOf(sources)), missing: callsMissing(sources) };
}

const callsMissing = ({ events }: BillSources): readonly string[] => [
  ...new Set(missingCosts(events).map(({ call }) => call)),
];

const costsOf = ({ events, prices }: BillSources): readonly CallCost[] =>
  costOfCalls({ events, prices, until: events.at(-1)?.at ?? 0 }).filter(({ kind }) => kind === 'model');

function sumBill(costs: readonly CallCost[]): Bill {
  const unmetered = requestsOf(costs).filter(
    ({ usage, cost }) => usage.inputTokens === null && usage.outputTokens === null && !isFree(cost),
  );
  return { ...sumSpent(costs), unmetered: unmetered.length };
}

const isFree = (cost: Cost): boolean => cost.is === 'measured' && cost.by === 'refused';
