import type { Agent } from '../contracts/agent.ts';
import type { Tool } from '../contracts/tool.ts';

/** The agent of a name, where this worker has it. */
export function findAgent(agents: readonly Agent[], name: string): Agent | undefined {
  return agents.find((agent) => agent.name === name);
}

/** The tool of an agent, where this worker has both. */
export function findTool(agents: readonly Agent[], agent: string, tool: string): Tool | undefined {
  return findAgent(agents, agent)?.tools.find(({ name }) => name === tool);
}
