import type { AgentClient } from '../client/agent-client.ts';
import type { RunRow } from '../client/list-runs.ts';
import type { RunHandle } from '../client/run-handle.ts';
import type { Cli } from './cli.ts';
import { didYouMean } from '../policy/near-matches.ts';

const LOOKED_AT = 200;

/** The run of that id. @throws Error with near matches when the server knows none. */
export async function findRun(
  { command }: Pick<Cli, 'command'>,
  client: AgentClient,
  id: string,
): Promise<{ handle: RunHandle; row: RunRow }> {
  const handle = client.get(id);
  const row = await handle.describe();
  if (row) return { handle, row };
  const known = await client.list({ limit: LOOKED_AT });
  const hint =
    didYouMean(
      id,
      known.map(({ run }) => run),
    ) || ` What there is: ${command('ls')}`;
  throw new Error(`there is no run "${id}".${hint}`);
}
