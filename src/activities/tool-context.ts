import type { ToolFetch } from '../contracts/fetch-record.ts';
import type { ToolRequest } from '../contracts/requests.ts';
import type { ToolContext } from '../contracts/tool.ts';
import type { Attempt } from './attempt.ts';
import type { ActivityPorts } from './ports.ts';

export interface Workbench {
  readonly context: ToolContext;
  readonly requests: ToolFetch['record'];
}

/** What the tool's body gets: identity, key, deadline, signal, and a `fetch` that keeps account. */
export function openWorkbench(
  ports: ActivityPorts,
  request: ToolRequest,
  attempt: Attempt,
  { idempotencyKey, deadline, signal }: { idempotencyKey: string; deadline: number; signal: AbortSignal },
): Workbench {
  const { run, task, plan } = request;
  const headers = { 'holdfast-attempt': String(attempt.number), 'holdfast-deadline': new Date(deadline).toISOString() };
  const toolFetch = ports.openFetch({ idempotencyKey, headers, signal, sendBy: deadline });
  const context: ToolContext = {
    runId: run,
    taskId: task,
    callId: plan.call,
    attempt: attempt.number,
    idempotencyKey,
    deadline,
    signal,
    fetch: toolFetch.fetch,
    heartbeat: (progress = '') => {
      attempt.progress(progress);
    },
    log: ports.logFor({ run, call: plan.call, tool: plan.tool, attempt: attempt.number }),
  };
  return { context, requests: toolFetch.record };
}
