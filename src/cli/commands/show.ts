import type { AgentClient } from '../../client/agent-client.ts';
import type { RunRow } from '../../client/list-runs.ts';
import type { RunHandle } from '../../client/run-handle.ts';
import type { Cli } from '../cli.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { findRun } from '../find-run.ts';
import { reportRun } from '../run-report.ts';
import { showScreen } from '../screens/show-screen.ts';
import { webUrlOf } from '../web-url.ts';
import { withClient } from '../with-client.ts';

/** Shows one run, whoever is left to tell of it. */
export function show(cli: Cli, { run }: { readonly run: string }): Promise<ExitCode> {
  return withClient(cli, async (client, config) => {
    const { handle, row } = await findRun(cli, client, run);
    const signed = config?.deciders !== undefined;
    cli.answer(reportRun({ ...(await readSources(cli, client, handle, row)), signed }), showScreen);
    return EXIT.done;
  });
}

async function readSources(cli: Cli, client: AgentClient, handle: RunHandle, row: RunRow) {
  const view = await handle.state();
  const [events, costs, records, ofTask, failure, webUrl] = await Promise.all([
    handle.events(),
    client.cost({ run: handle.id }),
    client.ledger({ run: handle.id }),
    // Rules are the task's, whichever of its runs asked.
    client.ledger({ task: view?.taskId || row.taskId || handle.id }),
    failureOf(handle, row),
    webUrlOf(cli.settings),
  ]);
  const ofOthers = ofTask.filter((record) => record.is === 'ruled' && record.run !== handle.id);
  return {
    row,
    view,
    events,
    cost: costs[0],
    records: [...records, ...ofOthers],
    failure,
    webUrl: webUrl(handle.id),
    now: Date.now(),
  };
}

async function failureOf(handle: RunHandle, { closedAt, status }: RunRow): Promise<string | undefined> {
  if (closedAt === undefined || status !== 'failed') return undefined;
  const ending = await handle.result().catch((error: unknown) => error);
  return ending instanceof Error ? ending.message : undefined;
}
