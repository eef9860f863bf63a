import type { CallBill } from '../contracts/bill.ts';
import type { Envelope, ModelEnd } from '../contracts/envelope.ts';
import { asSentence } from './as-sentence.ts';
import { readCallBill } from './read-bill.ts';
import type { CallTally } from '../contracts/retry-budget.ts';

export interface SaidEnd {
  readonly end: ModelEnd;
  readonly tally: CallTally;
  /** What the call has cost so far, where it says so. */
  readonly bill: CallBill | undefined;
}

/**
 * How a schedule of a model call ended, in the details of its failure; undefined where it is not ours to say: a lost worker, an
 * operator. Temporal may have had no attempt left for one that was to be repeated: then it is over.
 */
export function readModelEnd(
  detail: unknown,
  { turn, schedule, tally: before }: { readonly turn: number; readonly schedule: number; readonly tally: CallTally },
): SaidEnd | undefined {
  if (typeof detail !== 'object' || detail === null) return undefined;
  const { hf, call, schedule: of, end, verdict, bill, tally = before } = detail as Partial<Envelope>;
  if (hf !== 1 || call !== `t${turn}` || of !== schedule) return undefined;
  if (end) return { end, tally, bill: readCallBill(bill) };
  if (verdict?.is !== 'again') return undefined;
  const why = tally.parked
    ? `${asSentence(verdict.why)} The run's own deadline comes before it may be asked again.`
    : verdict.why;
  return { end: { is: 'failed', why }, tally, bill: undefined };
}
