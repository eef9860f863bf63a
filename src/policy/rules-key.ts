import type { LedgerKey } from '../contracts/ledger.ts';

/** Where the rules of a task and tool are kept: a key of its own, which no tool's intent can name. */
export function rulesKey(namespace: string, task: string, tool: string): LedgerKey {
  return { namespace, scope: `rules:${task}`, intent: tool };
}
