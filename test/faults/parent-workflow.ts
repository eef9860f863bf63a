// A workflow of a user's own, whose answer is its agent's.
import { workflowInfo } from '@temporalio/workflow';
import { runAgent } from '../../src/workflows/index.ts';

export { agentRun } from '../../src/workflows/index.ts';

export async function asksAnAgent(): Promise<string> {
  const { text } = await runAgent({ agent: 'tester', input: 'go', runId: `${workflowInfo().workflowId}-child` });
  return text;
}
