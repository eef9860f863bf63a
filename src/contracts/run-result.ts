import type { Money } from './bill.ts';
import type { Question } from './question.ts';

/** How a run ended: what it returns, and what is kept of it when the server has forgotten it. */
export interface RunResult {
  readonly status: 'completed' | 'partial' | 'stopped' | 'failed';
  readonly text: string;
  /** Questions that were still open when the run ended. */
  readonly open: readonly Question[];
  readonly spend: Spend;
  /** Of `spend.cost`, what the answer took: of each model call the one request it came from. Absent in results of older versions. */
  readonly answerCost?: Money;
  readonly taskId: string;
}

/** Tokens over all requests, failed ones included. `unmetered`: requests whose tokens nobody reported. */
export interface Spend {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly unmetered: number;
  /** What all of it cost, as far as was known then: an estimate may be corrected later. Absent in results of older versions. */
  readonly cost?: Money;
}
