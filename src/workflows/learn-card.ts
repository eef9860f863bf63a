import { ApplicationFailure } from '@temporalio/workflow';
import type { AgentCard } from '../contracts/agent-card.ts';
import { insist } from './insist.ts';
import { activities } from './proxies.ts';
import type { Run } from './run.ts';

/** The run's first activity. A run that was continued brings its card along, whatever has been deployed since. */
export async function learnCard(run: Run): Promise<void> {
  if (run.card) return;
  const { identity, input } = run;
  const said = JSON.stringify(input.input).slice(0, 500);
  const { agent, execution } = identity;
  run.tell({ type: 'run-started', at: Date.now(), agent, input: said, execution });
  const options = {
    summary: `agent ${identity.agent} · card`,
    startToCloseTimeout: '30s',
    retry: { maximumInterval: '30s' },
  } as const;
  const request = { ...identity, ...(input.limits && { limits: input.limits }) };
  const ask = () => activities.readCard.executeWithOptions(options, [request]);
  const answer = await insist(run, ask, (value) => 'refused' in value || isCard(value));
  if ('refused' in answer) throw ApplicationFailure.nonRetryable(answer.refused, 'UnknownAgent');
  run.card = answer;
}

const isCard = (value: Partial<AgentCard>): boolean => Array.isArray(value.tools) && value.ledger !== undefined;
