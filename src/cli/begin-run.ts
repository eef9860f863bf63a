import type { AgentClient } from '../client/agent-client.ts';
import type { RunRow } from '../client/list-runs.ts';
import type { RunHandle } from '../client/run-handle.ts';
import type { StartRequest } from '../client/start-run.ts';

/** How a run was come by. `joined`: it was running. `kept`: it has its answer already, and nothing was started. */
export interface BegunRun {
  readonly is: 'started' | 'joined' | 'kept';
  readonly handle: RunHandle;
  /** Events of this run come after this offset: an id may have been used before. */
  readonly from: number;
}

/** Starts a run, or takes up what there is under its id. */
export async function beginRun(client: AgentClient, request: StartRequest): Promise<BegunRun> {
  if (request.runId === undefined) return { is: 'started', handle: await client.start(request), from: 0 };
  const before = client.get(request.runId);
  const [row, events] = await Promise.all([before.describe(), before.events()]);
  const handle = await client.start(request);
  const is = howBegun(row, await handle.describe());
  const from = is === 'started' ? (events.at(-1)?.offset ?? 0) : (events[0]?.offset ?? 1) - 1;
  return { is, handle, from };
}

function howBegun(before: RunRow | undefined, after: RunRow | undefined): BegunRun['is'] {
  if (before && before.closedAt === undefined) return 'joined';
  // The server may have forgotten a run whose answer the event store keeps.
  return before?.startedAt === after?.startedAt ? 'kept' : 'started';
}
