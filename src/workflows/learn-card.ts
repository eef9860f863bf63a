import { activities } from './proxies.ts';
import type { Run } from './run.ts';

/** The run's first activity. A run that was continued brings its card along, whatever has been deployed since. */
export async function learnCard(run: Run): Promise<void> {
  if (run.card) return;
  const { identity, input } = run;
  run.tell({
    type: 'run-started',
    at: Date.now(),
    agent: identity.agent,
    input: JSON.stringify(input.input).slice(0, 500),
  });
  const options = {
    summary: `agent ${identity.agent} · card`,
    startToCloseTimeout: '30s',
    retry: { maximumInterval: '30s' },
  } as const;
  const request = { ...identity, ...(input.limits && { limits: input.limits }) };
  run.card = await run.during(activities.readCard.executeWithOptions(options, [request]));
}
