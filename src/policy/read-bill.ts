import type { Bill, CallBill, CostTotals } from '../contracts/bill.ts';
import type { KeptAnswer } from '../contracts/requests.ts';
import { NO_COST } from './sum-costs.ts';

/** A bill as an activity or a look-up says it; undefined where it is none, as from an older version or an operator's hand. */
export function readBill(value: unknown): Bill | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { answer, spend, unmetered } = value as Partial<Bill>;
  return isTotals(answer) && isTotals(spend) && isCount(unmetered) ? { answer, spend, unmetered } : undefined;
}

export function readCallBill(value: unknown): CallBill | undefined {
  const bill = readBill(value);
  // An object, or it would be no bill.
  return bill && { ...bill, isMissing: (value as Partial<CallBill>).isMissing === true };
}

/** What became of an answer that was kept. An older version says nothing of it. */
export function readKeptAnswer(value: unknown): KeptAnswer {
  const { bill: said, missing } = (typeof value === 'object' && value !== null ? value : {}) as Partial<KeptAnswer>;
  const bill = readBill(said);
  return { missing: Array.isArray(missing) ? missing.filter(isModelCall) : [], ...(bill && { bill }) };
}

const isModelCall = (call: unknown): call is string => typeof call === 'string' && /^t\d+$/.test(call);

function isTotals(value: unknown): value is CostTotals {
  if (typeof value !== 'object' || value === null) return false;
  const fields = Object.keys(NO_COST) as (keyof CostTotals)[];
  return fields.every((field) => isCount((value as Partial<CostTotals>)[field]));
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
