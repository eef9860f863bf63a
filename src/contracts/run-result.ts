import type { Question } from './question.ts';

/** How a run ended: what it returns, and what is kept of it when the server has forgotten it. */
export interface RunResult {
  readonly status: 'completed' | 'partial' | 'stopped' | 'failed';
  readonly text: string;
  /** Questions that were still open when the run ended. */
  readonly open: readonly Question[];
  readonly spend: Spend;
  readonly taskId: string;
}

/** Tokens over all attempts, failed ones included. `unmetered`: attempts whose usage nobody reported. */
export interface Spend {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly unmetered: number;
}
