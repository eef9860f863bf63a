import { inline } from '../../src/contracts/content.ts';
import type { LedgerDecision, LedgerEntry, LedgerKey, LedgerRecord } from '../../src/contracts/ledger.ts';

export const keyOf = (intent: string): LedgerKey => ({ namespace: 'default', scope: 'task:t1', intent });

export interface ClaimDetails {
  readonly key: LedgerKey;
  readonly task?: string;
  readonly run?: string;
  readonly holder?: string;
  readonly text?: string;
}

/** A claim with everything a record carries. */
export function claimed({
  key,
  task = 't1',
  run = 'run-1',
  holder = 'worker',
  text = 'A-1042',
}: ClaimDetails): LedgerEntry {
  return {
    key,
    task,
    run,
    execution: `${run}-first`,
    call: 't1c1',
    tool: 'refund',
    generation: 1,
    at: 1_764_460_000_000,
    is: 'claimed',
    claim: `${key.intent}/${holder}`,
    schedule: 1,
    holder,
    sendBy: 1_764_460_030_000,
    input: inline({ order: text }),
    digest: 'd1',
    landsWithinMs: 600_000,
    effect: 'unflagged',
  };
}

/** The smallest decision that must not go wrong: the first one takes the key. */
export function claimOnce(intent: string, holder: string) {
  return (records: readonly LedgerRecord[]): LedgerDecision<'won' | 'lost'> =>
    records.length === 0
      ? { append: [claimed({ key: keyOf(intent), holder })], answer: 'won' }
      : { append: [], answer: 'lost' };
}
