import type { Effect } from '../contracts/effect.ts';
import type { CallVerdict, Envelope } from '../contracts/envelope.ts';

const VERDICTS: readonly CallVerdict['is'][] = [
  ...(['done', 'told', 'unknown', 'again', 'wait', 'ask', 'edited', 'withdrawn', 'foreign-ledger'] as const),
];

export interface Expected {
  readonly call: string;
  readonly schedule: number;
  readonly effect: Effect;
}

/**
 * The envelope in an activity's result or failure details, when it is ours and speaks of this schedule of this call. Whatever
 * else comes (an operator's `complete` or `fail`, a lost worker) says nothing about the world: the ledger is asked.
 */
export function readEnvelope(value: unknown, { call, schedule, effect }: Expected): Envelope | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { hf, call: of, schedule: at, verdict } = value as Partial<Envelope>;
  const isOurs = hf === 1 && of === call && at === schedule && verdict !== undefined && VERDICTS.includes(verdict.is);
  return isOurs && (effect === 'read-only' || isBacked(value as Envelope)) ? (value as Envelope) : undefined;
}

/** A verdict that something happened, or may have, names the record behind it. */
function isBacked({ verdict, record, pending }: Envelope): boolean {
  const needsRecord = verdict?.is === 'done' || verdict?.is === 'unknown';
  return !needsRecord || typeof record === 'number' || pending !== undefined;
}
