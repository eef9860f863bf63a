import type { StoredEvent } from '../../contracts/events.ts';
import type { RunHandle } from '../../client/run-handle.ts';
import type { Cli } from '../cli.ts';
import { rememberEvents } from '../event-memory.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { findRun } from '../find-run.ts';
import { onInterrupt } from '../on-interrupt.ts';
import { readOutsideEnd } from '../outside-end.ts';
import { eventLines, isQuiet } from '../screens/event-lines.ts';
import { withClient } from '../with-client.ts';

export interface WatchInput {
  readonly run: string;
  readonly from?: number;
}

/** Tells a run's events as they come, until it ends; a question is told, and waited on. */
export function watch(cli: Cli, { run, from }: WatchInput): Promise<ExitCode> {
  return withClient(cli, async (client) => {
    const { handle } = await findRun(cli, client, run);
    const past = await handle.events();
    let last = from ?? (past[0]?.offset ?? 1) - 1;
    const memory = rememberEvents();
    past.filter(({ offset }) => offset <= last).forEach(memory.note);
    const interrupted = onInterrupt();
    for await (const event of handle.watch({ from: last, signal: interrupted })) {
      memory.note(event);
      if (cli.flags.json || !isQuiet(event)) {
        cli.answer(event, (shown, screen) => eventLines(shown, memory, screen));
      }
      last = event.offset;
      if (event.type === 'run-ended') return exitFor(event);
    }
    if (!interrupted.aborted) return tellOutsideEnd(cli, handle);
    cli.say(`\nThe run goes on.   ${cli.command('watch', run, '--from', String(last))}`);
    return EXIT.done;
  });
}

function exitFor({ status }: Extract<StoredEvent, { type: 'run-ended' }>): ExitCode {
  return status === 'completed' ? EXIT.done : EXIT.failed;
}

async function tellOutsideEnd(cli: Cli, handle: RunHandle): Promise<ExitCode> {
  const { status, text } = await readOutsideEnd(handle);
  cli.answer(
    { type: 'run-ended', status, text },
    (shown) => `ended: ${shown.status}${shown.text && `\n${shown.text}`}`,
  );
  return status === 'completed' ? EXIT.done : EXIT.failed;
}
