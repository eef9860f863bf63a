import type { Client } from '@temporalio/client';
import type { Payload } from '@temporalio/common';
import { isCompressed } from './gzip-codec.ts';

/** How the inputs and results in a workflow's history are kept. */
export interface PayloadCount {
  readonly compressed: number;
  readonly plain: number;
}

export async function countPayloads(client: Client, workflowId: string): Promise<PayloadCount> {
  const { events } = await client.workflow.getHandle(workflowId).fetchHistory();
  const payloads = (events ?? []).flatMap((event) => {
    const { workflowExecutionStartedEventAttributes: started, activityTaskScheduledEventAttributes: asked } = event;
    const { workflowExecutionCompletedEventAttributes: ended, activityTaskCompletedEventAttributes: answered } = event;
    return [started?.input, asked?.input, ended?.result, answered?.result].flatMap(
      (all): Payload[] => all?.payloads ?? [],
    );
  });
  const compressed = payloads.filter(isCompressed).length;
  return { compressed, plain: payloads.length - compressed };
}
