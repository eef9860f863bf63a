import type { RunCost } from '../../contracts/cost.ts';
import type { Duration } from '../../contracts/duration.ts';
import { durationMs } from '../../policy/duration-ms.ts';
import type { AgentClient } from '../../client/agent-client.ts';
import type { Cli } from '../cli.ts';
import { costTable, type CostGrouping } from '../cost-table.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { findRun } from '../find-run.ts';
import { costScreen } from '../screens/cost-screen.ts';
import { UsageError } from '../usage-error.ts';
import { withClient } from '../with-client.ts';

export interface CostInput {
  readonly run?: string;
  readonly agent?: string;
  readonly since?: Duration;
  readonly by?: CostGrouping;
  readonly slowest?: boolean;
}

/** Shows what runs cost, failed attempts included, and where their time went; also while they go on. */
export function cost(cli: Cli, input: CostInput): Promise<ExitCode> {
  const { run, agent, since = '1d', slowest: isSlowestFirst = false } = input;
  const { by = isSlowestFirst ? 'call' : run === undefined ? 'agent' : 'turn' } = input;
  if (run !== undefined && (agent ?? input.since) !== undefined) {
    throw new UsageError('A run is named: --agent and --since do not go with it.');
  }
  return withClient(cli, async (client) => {
    const from = Date.now() - durationMs(since, '--since');
    const costs = run === undefined ? await costsSince(client, from, agent) : await costsOf(cli, client, run);
    cli.answer(costTable(costs, { by, isSlowestFirst, isOne: run !== undefined, since: from }), costScreen);
    return EXIT.done;
  });
}

async function costsSince(client: AgentClient, since: number, agent: string | undefined): Promise<readonly RunCost[]> {
  const costs = await client.cost({ since, ...(agent !== undefined && { agent }) });
  return costs.filter((one) => agent === undefined || one.agent === agent);
}

async function costsOf(cli: Cli, client: AgentClient, run: string): Promise<readonly RunCost[]> {
  const costs = await client.cost({ run });
  // Says which runs there are.
  if (costs.length === 0) await findRun(cli, client, run);
  return costs;
}
