import type { AgentCard, ToolCard } from '../contracts/agent-card.ts';
import type { CardRequest } from '../contracts/requests.ts';
import type { Json } from '../contracts/json.ts';
import type { Agent } from '../contracts/agent.ts';
import type { Tool } from '../contracts/tool.ts';
import type { RetryBudget } from '../contracts/retry-budget.ts';
import { RUN_DEFAULTS } from '../policy/define-agent.ts';
import { durationMs } from '../policy/duration-ms.ts';
import { choiceOf, labelOf } from '../policy/model-label.ts';
import { MODEL_TIMES } from '../policy/model-times.ts';
import { RETRY_BUDGET } from '../policy/spend-retries.ts';
import { digestOf } from './digest.ts';
import { findAgent } from './find-tool.ts';
import type { ActivityPorts } from './ports.ts';

/** The run's first activity: what its worker knows of the agent, kept by the run from then on; or that it knows none. */
export async function readCard(
  ports: ActivityPorts,
  { agent: name, task, limits }: CardRequest,
): Promise<AgentCard | { readonly refused: string }> {
  const agent = findAgent(ports.agents, name);
  if (!agent) {
    const known = ports.agents.map((one) => one.name).join(', ');
    return { refused: `This worker knows no agent "${name}". It has: ${known}.` };
  }
  return {
    agent: name,
    version: agent.version,
    model: labelOf(choiceOf(agent).primary),
    tools: agent.tools.map(toolCard),
    maxTurns: limits?.turns ?? agent.limits?.turns ?? RUN_DEFAULTS.turns,
    deadlineMs: limits?.deadlineMs ?? deadlineOf(agent),
    modelAttempts: agent.limits?.modelAttempts ?? MODEL_TIMES.attempts,
    retryBudget: budgetOf(agent),
    escalateTo: agent.escalateTo,
    place: ports.place,
    signed: ports.deciders !== undefined,
    ...(ports.approvals.quorum && { quorum: ports.approvals.quorum }),
    ...(ports.alerts && { alerts: ports.alerts.times }),
    ...(ports.costPace && { costPace: ports.costPace }),
    searchAttributes: await ports.searchAttributes(),
    ledger: { id: await ports.ledger.id(), counter: await ports.ledger.counter(task) },
  };
}

function deadlineOf({ name, limits }: Agent): number | undefined {
  return limits?.deadline === undefined ? undefined : durationMs(limits.deadline, `Agent "${name}": limits.deadline`);
}

function budgetOf({ name, limits }: Agent): RetryBudget {
  const { retries, ms } = RETRY_BUDGET;
  const retryTime = limits?.retryTime;
  return {
    retries: limits?.retries ?? retries,
    ms: retryTime === undefined ? ms : durationMs(retryTime, `Agent "${name}": limits.retryTime`),
  };
}

export function toolCard(tool: Tool): ToolCard {
  const { name, effect, timeoutMs, totalTimeoutMs, maxAttempts, landsWithinMs, onUnknown } = tool;
  const confirms = tool.confirm !== undefined;
  const cancels = tool.cancel !== undefined;
  const facts = { name, effect, timeoutMs, totalTimeoutMs, maxAttempts, landsWithinMs, onUnknown, confirms, cancels };
  const shown = JSON.parse(
    JSON.stringify({ ...facts, description: tool.description, schema: tool.inputJsonSchema }),
  ) as Json;
  return { ...facts, definition: digestOf(shown).slice(0, 12) };
}
