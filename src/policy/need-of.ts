import type { Amount } from '../contracts/amount.ts';
import type { Quorum } from '../contracts/approval.ts';

/**
 * How many different people must agree to something of this worth. An amount that could not be told, or one in a currency
 * the rule does not speak of, counts as high; a tool that names no amount is never high. Of several rules, as a run
 * and its worker may have, the stricter holds.
 */
export function needOf(amount: Amount | null | undefined, ...quorums: readonly (Quorum | undefined)[]): number {
  if (amount === undefined) return 1;
  return quorums.some((quorum) => quorum && isHigh(amount, quorum)) ? 2 : 1;
}

function isHigh(amount: Amount | null, { above, currency }: Quorum): boolean {
  if (amount === null) return true;
  if (currency !== undefined && amount.currency !== undefined && amount.currency !== currency) return true;
  return !(Math.abs(amount.value) <= above);
}
