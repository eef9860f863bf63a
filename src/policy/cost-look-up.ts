import type { RepliedBy, RunEvent } from '../contracts/events.ts';
import { COST_LOOK_UP_WAITS_MS } from './status-reasons.ts';

/** Whether this provider can be asked later what a reply cost. Only OpenRouter can. */
export const canLookUp = (account: string): boolean => account === 'openrouter';

/** The id of a reply as the headers have it, before anything of it came. */
export const replyIdIn = (headers: Readonly<Record<string, string>>): string | undefined => headers['x-generation-id'];

/** Replies whose cost is not known and whose provider can be asked, in order. Those that somebody has given up are left out. */
export function missingCosts(events: readonly RunEvent[]): readonly RepliedBy[] {
  const missing = new Map<string, RepliedBy>();
  for (const event of events) {
    if (event.type === 'request-answered' || (event.type === 'request-ended' && event.responseId !== undefined)) {
      const { account, responseId = '' } = event;
      if (canLookUp(account)) missing.set(responseId, { account, responseId });
    }
  }
  for (const event of events) {
    if (event.type === 'cost-found' || event.type === 'cost-not-found') missing.delete(event.responseId);
    if (event.type === 'request-ended' && event.costMicros !== undefined) missing.delete(event.responseId ?? '');
  }
  return [...missing.values()];
}

/** Others saw the row appear after 4.5 to 8.5 minutes. */
const LOOK_UP_FOR_MS = 900_000;

/**
 * How long to wait before the `round`-th time of asking, from 1, in milliseconds: 15 s, 30 s, 1 min, then 2 min, the last time 15
 * minutes after the beginning. Undefined: nobody asks any more.
 */
export function waitBeforeLookUp(round: number): number | undefined {
  const before = sum(Array.from({ length: round - 1 }, (_, at) => waitOf(at)));
  const wait = Math.min(waitOf(round - 1), LOOK_UP_FOR_MS - before);
  return wait > 0 ? wait : undefined;
}

const waitOf = (at: number): number => COST_LOOK_UP_WAITS_MS[at] ?? COST_LOOK_UP_WAITS_MS.at(-1) ?? 0;
const sum = (all: readonly number[]): number => all.reduce((one, other) => one + other, 0);
