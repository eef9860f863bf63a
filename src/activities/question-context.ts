import type { ConfirmRequest } from '../contracts/requests.ts';
import type { Tool, ToolContext } from '../contracts/tool.ts';
import type { ActivityPorts } from './ports.ts';
import { keyOfRecords } from './secret-of-key.ts';

/** What a tool's `confirm` or `cancel` gets: the key of the call in question, and a `fetch` that may send so much. */
export async function questionContext(
  ports: ActivityPorts,
  { run, task, question }: ConfirmRequest,
  tool: Tool,
  { signal, sends }: { readonly signal: AbortSignal; readonly sends: 'reads' | 'anything' },
): Promise<ToolContext> {
  const idempotencyKey = keyOfRecords(ports, question.key, await ports.ledger.read({ key: question.key }));
  const deadline = ports.now() + tool.timeoutMs;
  const sendBy = sends === 'reads' ? 0 : deadline;
  const toolFetch = ports.openFetch({ idempotencyKey, headers: {}, signal, sendBy });
  return {
    runId: run,
    taskId: task,
    callId: question.call,
    attempt: 1,
    idempotencyKey,
    deadline,
    signal,
    fetch: toolFetch.fetch,
    heartbeat: () => undefined,
    log: ports.logFor({ run, call: question.call, tool: tool.name }),
  };
}
