import type { LedgerKey } from '../contracts/ledger.ts';

/**
 * Where the rules of a task for one agent's tool are kept: a key of its own, which no tool's intent can name. Not for other agents
 * of the task: whoever made a rule may have had no say there.
 */
export function rulesKey(namespace: string, task: string, agent: string, tool: string): LedgerKey {
  return { namespace, scope: `rules:${task}`, intent: `${agent}/${tool}` };
}
