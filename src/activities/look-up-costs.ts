import type { CostRoundRequest } from '../contracts/cost-look-up.ts';
import type { EventStore, RepliedBy, RunEvent, StoredEvent } from '../contracts/events.ts';
import { missingCosts } from '../policy/cost-look-up.ts';
import type { ActivityPorts } from './ports.ts';

/**
 * Asks once for each reply to a call whose cost is missing, and puts on record what is found. Answers how many are still missing;
 * the last time those are given up. May be repeated: what is on record is not asked for again.
 */
export async function lookUpCosts(
  ports: Pick<ActivityPorts, 'events' | 'askCost' | 'now'>,
  { run, call, isLast }: CostRoundRequest,
): Promise<{ readonly missing: number }> {
  const missing = missingCosts(await allEvents(ports.events, run), call);
  let left = 0;
  // One after the other: a call has few of them, and the provider counts requests.
  for (const reply of missing) {
    const event = await askOnce(ports, reply, isLast);
    if (event?.type !== 'cost-found') left += 1;
    if (event) await ports.events.append(run, [event]);
  }
  return { missing: left };
}

async function askOnce(
  { askCost, now }: Pick<ActivityPorts, 'askCost' | 'now'>,
  reply: RepliedBy,
  isLast: boolean,
): Promise<RunEvent | undefined> {
  const answer = await askCost(reply);
  if (answer.is === 'found') {
    const { costMicros, usage } = answer;
    return { type: 'cost-found', at: now(), ...reply, costMicros, usage };
  }
  return isLast ? { type: 'cost-not-found', at: now(), ...reply, why: answer.why } : undefined;
}

async function allEvents(events: EventStore, run: string): Promise<readonly StoredEvent[]> {
  const all: StoredEvent[] = [];
  for (;;) {
    const batch = await events.read(run, all.at(-1)?.offset ?? 0, { only: 'facts' });
    if (batch.length === 0) return all;
    all.push(...batch);
  }
}
