import type { ClientParts } from './client-parts.ts';

const WORKFLOW_QUEUE = 1;
// A poll lasts a minute at most; the server remembers pollers for longer.
const SEEN_WITHIN_MS = 70_000;

/** Whether a worker has asked the task queue for work within the last minute. One that was killed counts until then. */
export async function hasWorker(parts: ClientParts): Promise<boolean> {
  return (await livePollers(parts)).length > 0;
}

/** Names of the workers that have asked for work within the last minute. */
export async function livePollers({ client, namespace, taskQueue }: ClientParts): Promise<readonly string[]> {
  const { pollers } = await client.workflowService.describeTaskQueue({
    namespace,
    taskQueue: { name: taskQueue },
    taskQueueType: WORKFLOW_QUEUE,
  });
  const seenAt = ({ lastAccessTime }: (typeof pollers)[number]) => Number(lastAccessTime?.seconds ?? 0) * 1_000;
  return pollers
    .filter((poller) => Date.now() - seenAt(poller) < SEEN_WITHIN_MS)
    .flatMap(({ identity }) => (identity ? [identity] : []));
}
