import type { AgentCard, LedgerView } from '../contracts/agent-card.ts';
import type { SettleRequest } from '../contracts/requests.ts';
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

/** What the run asks of decisions, wherever they are judged: a worker with another configuration may only be stricter. */
export function decisionTerms({ card }: Run): Pick<SettleRequest, 'signed' | 'quorum'> {
  return { signed: card?.signed ?? false, ...quorumOf(card) };
}

/** The quorum that the run began with, where it has one. */
export function quorumOf(card: AgentCard | undefined): Pick<SettleRequest, 'quorum'> {
  return card?.quorum ? { quorum: card.quorum } : {};
}
