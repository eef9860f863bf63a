import type { Quorum } from '../contracts/approval.ts';
import type { LedgerRecord } from '../contracts/ledger.ts';

/**
 * What the runs that claimed a key ask of decisions on it: they hold wherever the decision is written, also for a run that is
 * closed and by whoever has another configuration.
 */
export function termsOfKey(records: readonly LedgerRecord[]): {
  readonly signed: boolean;
  readonly quorums: readonly Quorum[];
} {
  const claims = records.filter((record) => record.is === 'claimed');
  return {
    signed: claims.some(({ signed }) => signed === true),
    quorums: claims.flatMap(({ quorum }) => (quorum ? [quorum] : [])),
  };
}
