import type { Agent, Config } from '../contracts/agent.ts';
import { didYouMean } from '../policy/near-matches.ts';
import { UsageError } from './usage-error.ts';

/** The agent of that name. @throws UsageError with near matches. */
export function needAgent(name: string, { agents }: Config): Agent {
  const agent = agents.find((one) => one.name === name);
  if (agent) return agent;
  const known = agents.map((one) => one.name);
  throw new UsageError(
    `there is no agent "${name}" in the configuration.${didYouMean(name, known)} It has: ${known.join(', ')}.`,
  );
}
