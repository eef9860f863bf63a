import type { ToolCard } from '../contracts/agent-card.ts';
import type { LedgerStatement } from '../contracts/ledger.ts';
import type { OutcomeQuestion } from '../contracts/question.ts';

/** How long after its send-by time a claim may still be on its way to its record: start-to-close is longer by this. */
export const RECORD_GRACE_MS = 5_000;

/** Writes to the ledger are tried until so long before start-to-close; then the verdict is reported with its record pending. */
export const REPORT_BEFORE_MS = 2_000;

/** Whether a receiver is still trusted to know the key that was sent under this claim. */
export function knowsKey(
  { at, keyValidForMs }: { readonly at: number } & Pick<Extract<LedgerStatement, { is: 'claimed' }>, 'keyValidForMs'>,
  now: number,
): boolean {
  return keyValidForMs === undefined || now < at + keyValidForMs;
}

/** A held key is asked again after 1 s, doubling to 1 min. */
export const heldWaitMs = (waits: number): number => Math.min(60_000, 1_000 * 2 ** waits);

/**
 * How long a question waits before the ledger and the tool's look-up are asked again. A look-up is asked at once, and once
 * more as soon as its "did not happen" counts.
 */
export function questionWaitMs(
  polls: number,
  { horizon }: Pick<OutcomeQuestion, 'horizon'>,
  { confirms }: Pick<ToolCard, 'confirms'>,
  now: number,
): number {
  if (!confirms) return pollWaitMs(polls);
  if (polls === 0) return 0;
  const waitMs = pollWaitMs(polls - 1);
  return now < horizon ? Math.min(waitMs, horizon - now + 1) : waitMs;
}

/** The ledger is asked about an open question after 1 s, doubling to 15 min: one poll is 11 events of history. */
export const pollWaitMs = (polls: number): number => Math.min(900_000, 1_000 * 2 ** polls);
