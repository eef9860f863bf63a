import type { CostPace } from '../contracts/cost-look-up.ts';
import type { RepliedBy, RunEvent } from '../contracts/events.ts';
import { COST_LOOK_UP_WAITS_MS } from './status-reasons.ts';

/** Whether this provider can be asked later what a reply cost. Only OpenRouter can. */
export const canLookUp = (account: string): boolean => account === 'openrouter';

/** The id of a reply as the headers have it, before anything of it came. */
export const replyIdIn = (headers: Readonly<Record<string, string>>): string | undefined => headers['x-generation-id'];

/** A reply whose cost is missing, and the model call that it was to. */
export interface MissingCost {
  readonly call: string;
  readonly reply: RepliedBy;
}

/** Replies of a run whose cost is not known and whose provider can be asked, in order. Those that were given up are left out. */
export function missingCosts(events: readonly RunEvent[]): readonly MissingCost[] {
  const missing = new Map<string, MissingCost>();
  for (const event of events) {
    if (event.type !== 'request-answered' && event.type !== 'request-ended') continue;
    const { call, account, responseId } = event;
    if (responseId !== undefined && canLookUp(account))
      missing.set(responseId, { call, reply: { account, responseId } });
  }
  for (const event of events) {
    if (event.type === 'cost-found' || event.type === 'cost-not-found') missing.delete(event.responseId);
    if (event.type === 'request-ended' && isKnown(event)) missing.delete(event.responseId ?? '');
  }
  return [...missing.values()];
}

const isKnown = ({ costMicros, billed }: Extract<RunEvent, { type: 'request-ended' }>): boolean =>
  costMicros !== undefined || billed === 'no';

/** 15 s, 30 s, 1 min, then every 2 min to 15 min: others saw the row appear after seconds, or after 4.5 to 8.5 minutes. */
export const COST_PACE: CostPace = Object.freeze({ waitsMs: COST_LOOK_UP_WAITS_MS, forMs: 900_000 });

/** How long to wait before asking for the `round`-th time, from 1, in milliseconds. Undefined: nobody asks any more. */
export function waitBeforeLookUp(round: number, pace: CostPace = COST_PACE): number | undefined {
  const before = Array.from({ length: round - 1 }, (_, at) => waitOf(at, pace)).reduce((sum, wait) => sum + wait, 0);
  const wait = Math.min(waitOf(round - 1, pace), pace.forMs - before);
  return wait > 0 ? wait : undefined;
}

const waitOf = (at: number, { waitsMs }: CostPace): number => waitsMs[at] ?? waitsMs.at(-1) ?? 0;
