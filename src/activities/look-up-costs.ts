import type { CostRound, CostRoundRequest } from '../contracts/cost-look-up.ts';
import type { RepliedBy, RunEvent } from '../contracts/events.ts';
import { billOfCall } from '../policy/bill-of-calls.ts';
import { missingCosts } from '../policy/cost-look-up.ts';
import { readCostEvents } from '../policy/read-cost-events.ts';
import type { ActivityPorts } from './ports.ts';

type LookUpPorts = Pick<ActivityPorts, 'events' | 'askCost' | 'prices' | 'now'>;

/**
 * Asks once for each reply to a call whose cost is missing, and puts on record what is found. Answers how many are still missing;
 * the last time those are given up. May be repeated: what is on record is not asked for again.
 */
export async function lookUpCosts(
  ports: LookUpPorts,
  { run, execution, call, isLast }: CostRoundRequest,
): Promise<CostRound> {
  const events: RunEvent[] = [...(await readCostEvents(ports.events, run, execution))];
  const missing = missingCosts(events).filter((one) => one.call === call);
  let left = missing.length;
  // One after the other: a call has few of them, and the provider counts requests.
  for (const { reply } of missing) {
    const event = await askOnce(ports, reply, isLast);
    if (event?.type === 'cost-found') left -= 1;
    if (!event) continue;
    await ports.events.append(run, [event]);
    events.push(event);
  }
  const bill = isAnyAnswered(events, call) ? billOfCall(call, { events, prices: ports.prices }) : undefined;
  return { missing: left, ...(bill && { bill }) };
}

/** Whether a provider has said, or will not say any more, what one of the call's replies cost. */
function isAnyAnswered(events: readonly RunEvent[], call: string): boolean {
  const replies = events.flatMap((event) =>
    'call' in event && event.call === call && 'responseId' in event ? [event.responseId] : [],
  );
  return events.some(
    (event) => (event.type === 'cost-found' || event.type === 'cost-not-found') && replies.includes(event.responseId),
  );
}

async function askOnce(
  { askCost, now }: LookUpPorts,
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
