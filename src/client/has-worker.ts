import type { ClientParts } from './client-parts.ts';

const WORKFLOW_QUEUE = 1;
// A poll lasts a minute at most; the server remembers pollers for longer.
const SEEN_WITHIN_MS = 70_000;

/** Whether a worker has asked the task queue for work within the last minute. One that was killed counts until then. */
export async function hasWorker({ client, namespace, taskQueue }: ClientParts): Promise<boolean> {
  const { pollers } = await client.workflowService.describeTaskQueue({
    namespace,
    taskQueue: { name: taskQueue },
    taskQueueType: WORKFLOW_QUEUE,
  });
  const seenAt = pollers.map(({ lastAccessTime }) => Number(lastAccessTime?.seconds ?? 0) * 1_000);
  return seenAt.some((at) => Date.now() - at < SEEN_WITHIN_MS);
}
