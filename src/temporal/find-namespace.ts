import type { Connection } from '@temporalio/client';

/** What the server let us learn about a namespace. `keepsDays`: how long ended runs stay there. */
export type NamespaceState =
  | { readonly is: 'present'; readonly keepsDays: number }
  | { readonly is: 'missing' }
  | { readonly is: 'unknown'; readonly why: string };

const ANSWER_WITHIN_MS = 10_000;
const DAY_S = 86_400;
// gRPC's code; grpc-js is the client's dependency, not ours.
const NOT_FOUND = 5;

/** Tells whether the namespace is there. Never throws. */
export async function findNamespace(
  service: Pick<Connection, 'workflowService' | 'withDeadline'>,
  namespace: string,
): Promise<NamespaceState> {
  try {
    const describe = () => service.workflowService.describeNamespace({ namespace });
    const { config } = await service.withDeadline(Date.now() + ANSWER_WITHIN_MS, describe);
    const seconds = Number(config?.workflowExecutionRetentionTtl?.seconds ?? 0);
    return { is: 'present', keepsDays: Math.round(seconds / DAY_S) };
  } catch (error) {
    const { code, details, message } = error as { code?: number; details?: string; message: string };
    return code === NOT_FOUND ? { is: 'missing' } : { is: 'unknown', why: details || message };
  }
}
