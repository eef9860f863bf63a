import type { RunHandle } from '../../client/run-handle.ts';
import type { Cli } from '../cli.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { findRun } from '../find-run.ts';
import { nextLines } from '../screens/next-lines.ts';
import { whatFollows } from '../what-follows.ts';
import { withClient } from '../with-client.ts';

export interface StopInput {
  readonly run: string;
  readonly now?: boolean;
  readonly reason?: string;
}

const LOOK_MS = 5_000;

/** Asks a run to stop, and says what it does. A run that has ended is left alone: it is stopped. */
export function stop(cli: Cli, { run, now = false, reason }: StopInput): Promise<ExitCode> {
  return withClient(cli, async (client) => {
    const { handle, row } = await findRun(cli, client, run);
    if (row.closedAt !== undefined) {
      cli.answer(row, ({ status }) => `${run} has ended already: ${status}.`);
      return EXIT.done;
    }
    const from = (await handle.events()).at(-1)?.offset ?? 0;
    const message = await handle.stop(now ? 'now' : 'safe', reason);
    return tellWhatFollows(cli, handle, { message, from });
  });
}

async function tellWhatFollows(
  cli: Cli,
  handle: RunHandle,
  { message, from }: { message: string; from: number },
): Promise<ExitCode> {
  const next = await whatFollows(handle, { from, withinMs: LOOK_MS });
  cli.answer(
    { run: handle.id, message, next },
    (shown, screen) => `${shown.message}\n${nextLines(shown.next, handle.id, screen)}`,
  );
  return EXIT.done;
}
