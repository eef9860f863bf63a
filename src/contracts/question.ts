import type { Failure } from './failure.ts';
import type { LedgerKey } from './ledger.ts';
import type { Content } from './content.ts';

/** Something only news or a person can answer. So far of one kind: an unknown outcome. */
export interface Question {
  /** Short and stable: made from the action and its generation, so a reset asks the same question under the same id. */
  readonly id: string;
  readonly kind: 'outcome';
  readonly run: string;
  readonly call: string;
  readonly tool: string;
  readonly key: LedgerKey;
  readonly input: Content;
  /** First 16 hex digits of the arguments' digest: what was shown. A decision may name it, and is then bound to it. */
  readonly digest: string;
  /** Workflow time, epoch milliseconds, at which sight was lost. */
  readonly since: number;
  /** When the request was sent at the earliest, as the ledger has it. */
  readonly sentAt?: number;
  /** Before this time "did not happen" proves nothing: the effect may still land. */
  readonly horizon: number;
  /** What is known, one fact a line. */
  readonly known: readonly string[];
  readonly failure?: Failure;
}
