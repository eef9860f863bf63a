import type { LedgerView } from '../contracts/agent-card.ts';
import type { Run } from './run.ts';

/** The ledger the run belongs to, as far as it has seen it. */
export function ledgerView({ card }: Run): LedgerView {
  if (!card) throw new Error('A run has a ledger only after it has its card.');
  return card.ledger;
}

/** Milliseconds to the run's deadline, time in which it only waited for people left out; undefined when it has none. */
export function timeLeftMs({ card, startedAt, waitedMs }: Run): number | undefined {
  return card?.deadlineMs === undefined ? undefined : Math.max(0, startedAt + card.deadlineMs + waitedMs - Date.now());
}

/** Whether the run counts only signed decisions. */
export const isSigned = ({ card }: Run): boolean => card?.signed ?? false;
