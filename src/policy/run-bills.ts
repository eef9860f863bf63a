import type { Bill, CallBill, CostTotals, Money } from '../contracts/bill.ts';
import type { Usage } from '../contracts/events.ts';
import type { RunBills, Spend } from '../contracts/run.ts';
import { NO_COST, sumSpent } from './sum-costs.ts';

const NO_BILL: Bill = Object.freeze({ answer: NO_COST, spend: NO_COST, unmetered: 0 });

export const NO_BILLS: RunBills = Object.freeze({ settled: NO_BILL, open: Object.freeze({}), untold: 0 });

/** Bills that a run keeps open at most: they are carried. A correction of an older one comes with the end of the run. */
const MOST_OPEN = 30;

/** What a call that goes on has cost so far. */
export function noteBill(bills: RunBills, call: string, bill: CallBill): RunBills {
  const open = Object.entries({ ...bills.open, [call]: bill });
  const oldest = open.slice(0, -MOST_OPEN).map(([, one]) => one);
  const settled = oldest.length === 0 ? bills.settled : sumBills([bills.settled, ...oldest]);
  return { ...bills, settled, open: Object.fromEntries(open.slice(-MOST_OPEN)) };
}

/** What a call has cost that is over. The bill stays open while a provider is asked for what is missing. */
export function closeBill(bills: RunBills, call: string, bill: CallBill): RunBills {
  if (bill.isMissing) return noteBill(bills, call, bill);
  const { [call]: _, ...open } = bills.open;
  return { ...bills, settled: sumBills([bills.settled, bill]), open };
}

/** A call is over and did not say what it cost; `usage` is what is known of its answer. */
export function closeUntold(bills: RunBills, call: string, usage?: Usage): RunBills {
  const { [call]: known = NO_BILL, ...open } = bills.open;
  return {
    settled: sumBills([bills.settled, known, ...(usage ? [tokensOf(usage)] : [])]),
    open,
    untold: bills.untold + 1,
  };
}

/** A call's bill has changed since it was over: something of it was found, or is looked for no more. */
export function correctBill(bills: RunBills, call: string, bill: CallBill): RunBills {
  return Object.hasOwn(bills.open, call) ? closeBill(bills, call, bill) : bills;
}

/** Of a run that an older version carried: its tokens are known, and of each turn there was a call. */
export function billsOfOlder({ inputTokens, outputTokens, unmetered }: Spend, turn: number): RunBills {
  const spend = { ...NO_COST, inputTokens, outputTokens };
  return { ...NO_BILLS, settled: { ...NO_BILL, spend, unmetered }, untold: turn };
}

/** What a run has spent, as it tells it. */
export function spentOf({ settled, open, untold }: RunBills): { readonly spend: Spend; readonly answerCost: Money } {
  const { answer, spend, unmetered } = sumBills([settled, ...Object.values(open)]);
  const { inputTokens, outputTokens } = spend;
  return {
    spend: { inputTokens, outputTokens, unmetered, cost: moneyIn(spend, untold) },
    answerCost: moneyIn(answer, untold),
  };
}

/** The money in totals, without the tokens. */
export const moneyIn = ({ micros, estimatedMicros, requests, estimated, unknown }: CostTotals, untold = 0): Money => {
  return { micros, estimatedMicros, requests, estimated, unknown: unknown + untold };
};

const sumBills = (bills: readonly Bill[]): Bill => {
  return { ...sumSpent(bills), unmetered: bills.reduce((sum, { unmetered }) => sum + unmetered, 0) };
};

function tokensOf({ inputTokens, outputTokens }: Usage): Bill {
  const spend = { ...NO_COST, inputTokens: inputTokens ?? 0, outputTokens: outputTokens ?? 0 };
  return { ...NO_BILL, spend, unmetered: inputTokens === null && outputTokens === null ? 1 : 0 };
}
