import type { CostTotals, Spent } from '../contracts/bill.ts';
import type { RequestCost } from '../contracts/cost.ts';
import { sumFields } from './sum-fields.ts';

export const NO_COST: CostTotals = Object.freeze({
  micros: 0,
  estimatedMicros: 0,
  requests: 0,
  estimated: 0,
  unknown: 0,
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
});

/** Sums of sums. */
export const sumCosts = (parts: readonly CostTotals[]): CostTotals => sumFields(NO_COST, parts);

/** Of spent parts, what they are together. */
export const sumSpent = (parts: readonly Spent[]): Spent => ({
  answer: sumCosts(parts.map(({ answer }) => answer)),
  spend: sumCosts(parts.map(({ spend }) => spend)),
});

export const sumRequests = (requests: readonly RequestCost[]): CostTotals => sumCosts(requests.map(totalsOf));

function totalsOf({ cost, usage }: RequestCost): CostTotals {
  const micros = cost.is === 'unknown' ? 0 : cost.micros;
  return {
    micros,
    estimatedMicros: cost.is === 'estimate' ? micros : 0,
    requests: 1,
    estimated: cost.is === 'estimate' ? 1 : 0,
    unknown: cost.is === 'unknown' ? 1 : 0,
    inputTokens: usage.inputTokens ?? 0,
    outputTokens: usage.outputTokens ?? 0,
    cacheReadTokens: usage.cacheReadTokens ?? 0,
    cacheWriteTokens: usage.cacheWriteTokens ?? 0,
  };
}
