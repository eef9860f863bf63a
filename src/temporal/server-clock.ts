import type { Connection } from '@temporalio/client';
import { waitUntil } from './wait-until.ts';

/** How far the server's clock is ahead of ours, give or take `withinMs`. */
export interface ClockDifference {
  readonly aheadMs: number;
  readonly withinMs: number;
}

const LOOK_FOR_MS = 5_000;
const POLL_FOR_MS = 10_000;
// TaskQueueType of Temporal's API.
const ACTIVITY = 2;

/**
 * Compares the server's clock with ours. No call of Temporal's says the time; but the server notes when a worker last asked
 * for work, so we ask once, on a task queue that nobody uses. @throws what the connection throws.
 */
export async function compareClocks(
  connection: Pick<Connection, 'workflowService' | 'withDeadline' | 'withAbortSignal'>,
  namespace: string,
): Promise<ClockDifference | undefined> {
  const service = connection.workflowService;
  const taskQueue = { name: `holdfast-doctor-${process.pid}-${Date.now()}` };
  const done = new AbortController();
  const before = Date.now();
  const ask = () => service.pollActivityTaskQueue({ namespace, taskQueue, identity: 'holdfast doctor' });
  // The server takes no request for work without a deadline.
  const polling = connection
    .withDeadline(before + POLL_FOR_MS, () => connection.withAbortSignal(done.signal, ask))
    .catch(() => undefined);
  try {
    const seen = await lookForPoll(connection, { namespace, taskQueue });
    if (seen === undefined) return undefined;
    const after = Date.now();
    return { aheadMs: Math.round(seen - (before + after) / 2), withinMs: Math.ceil((after - before) / 2) };
  } finally {
    done.abort();
    await polling;
  }
}

interface Queue {
  readonly namespace: string;
  readonly taskQueue: { readonly name: string };
}

function lookForPoll(
  { workflowService }: Pick<Connection, 'workflowService'>,
  queue: Queue,
): Promise<number | undefined> {
  const readTime = async () => {
    const { pollers } = await workflowService.describeTaskQueue({ ...queue, taskQueueType: ACTIVITY });
    const time = pollers?.[0]?.lastAccessTime;
    return time ? Number(time.seconds ?? 0) * 1_000 + (time.nanos ?? 0) / 1e6 : undefined;
  };
  return waitUntil(readTime, { withinMs: LOOK_FOR_MS });
}
