import type { LanguageModelV4Message } from '@ai-sdk/provider';
import type { AskedCall as RawCall } from '../../src/activities/collect-reply.ts';
import { planCalls } from '../../src/activities/plan-calls.ts';
import type { ActivityPorts } from '../../src/activities/ports.ts';
import type { Tool } from '../../src/contracts/tool.ts';
import type { PlannedCall, RunnableCall } from '../../src/contracts/plan.ts';
import { FRESH_TALLY } from '../../src/contracts/retry-budget.ts';
import { RETRY_BUDGET } from '../../src/policy/spend-retries.ts';
import { defineAgent } from '../../src/policy/define-agent.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';

/** Planning small calls needs nothing of the world but its name. */
const ports = { namespace: 'default' } as ActivityPorts;
const model = scriptedModel(() => ({ text: 'done' }));

/** What a run of task `t` plans for the calls of its third reply. */
export async function planned(
  tools: readonly Tool[],
  calls: readonly RawCall[],
  before: readonly LanguageModelV4Message[] = [],
): Promise<readonly PlannedCall[]> {
  const agent = defineAgent({ name: 'tester', instructions: 'You are tested.', model, tools });
  const request = {
    run: 'r',
    execution: 'e',
    task: 't',
    agent: 'tester',
    turn: 3,
    head: null,
    input: null,
    answers: [],
    schedule: 1,
    tally: FRESH_TALLY,
    budget: RETRY_BUDGET,
    maxAttempts: 5,
  };
  return (await planCalls(ports, request, agent, calls, before)).calls;
}

/** The plan of one call that must be able to run. */
export async function plannedCall(
  tool: Tool,
  input: string,
  before: readonly LanguageModelV4Message[] = [],
): Promise<RunnableCall> {
  const [plan] = await planned([tool], [{ toolCallId: 'c1', tool: tool.name, input }], before);
  if (plan?.is !== 'runnable') throw new Error(`${input} was not planned: ${JSON.stringify(plan)}`);
  return plan;
}

/** An earlier call of the transcript, with the answer it got. */
export function earlierCall(tool: string, input: unknown, reply: object): readonly LanguageModelV4Message[] {
  const toolCallId = 'c0';
  const output = { type: 'json', value: reply as never } as const;
  return [
    { role: 'assistant', content: [{ type: 'tool-call', toolCallId, toolName: tool, input }] },
    { role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName: tool, output }] },
  ];
}
