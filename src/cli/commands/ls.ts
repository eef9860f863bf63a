import type { AgentClient } from '../../client/agent-client.ts';
import type { ListFilter } from '../../client/list-runs.ts';
import type { Cli } from '../cli.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { lsScreen } from '../screens/ls-screen.ts';
import { withClient } from '../with-client.ts';

const DEFAULT_LIMIT = 20;

/** Lists runs from what the server knows, without asking a worker. */
export function ls(cli: Cli, { agent, status, limit = DEFAULT_LIMIT }: ListFilter): Promise<ExitCode> {
  return withClient(cli, async (client) => {
    const filter = { limit, ...(agent !== undefined && { agent }), ...(status !== undefined && { status }) };
    const rows = await client.list(filter);
    cli.answer(rows, (shown, screen) => lsScreen(shown, { filter }, screen));
    if (rows.length === 0 && (agent ?? status) !== undefined) await warnOfBlindFilter(cli, client);
    return EXIT.done;
  });
}

/** Without our search attributes the server knows neither agents nor statuses, and every filter comes back empty. */
async function warnOfBlindFilter(cli: Cli, client: AgentClient): Promise<void> {
  const [latest] = await client.list({ limit: 1 });
  if (latest?.agent !== '') return;
  cli.note(`The server lacks Holdfast's search attributes: filters find nothing.   ${cli.command('setup')}`);
}
