import { allHandlersFinished, condition, proxyActivities, setHandler } from '@temporalio/workflow';
import { outcomeUnknownSignal, runAgent } from 'holdfast/workflow';
import type { DeskActivities } from './desk.ts';

// The agent's own workflow, which runAgent starts as a child of ours.
export * from 'holdfast/workflow';

export interface Claim {
  readonly answer: string;
  /** Calls of which nobody could say whether they had happened, until a person did. */
  readonly doubts: readonly string[];
}

const { tellDesk } = proxyActivities<DeskActivities>({ startToCloseTimeout: '10s' });

/** A workflow of your own: it lets an agent refund an order, and has its own way of telling people when one is in doubt. */
export async function handleClaim(orderId: string): Promise<Claim> {
  const doubts: string[] = [];
  setHandler(outcomeUnknownSignal, async (unknown) => {
    doubts.push(unknown.intent);
    await tellDesk(unknown);
  });
  const { text } = await runAgent({ agent: 'support', input: orderId });
  await condition(allHandlersFinished);
  return { answer: text, doubts };
}
