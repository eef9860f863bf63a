import type { LedgerView } from '../contracts/agent-card.ts';
import type { Run } from './run.ts';

export function ledgerView({ card }: Run): LedgerView {
  if (!card) throw new Error('A run has a ledger only after it has its card.');
  return card.ledger;
}

/** Milliseconds to the run's deadline; undefined when it has none. */
export function timeLeftMs({ card, startedAt }: Run): number | undefined {
  return card?.deadlineMs === undefined ? undefined : Math.max(0, startedAt + card.deadlineMs - Date.now());
}
