import type { StoredEvent } from '../../contracts/events.ts';
import type { RunHandle } from '../../client/run-handle.ts';
import type { Cli } from '../cli.ts';
import { rememberEvents } from '../event-memory.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { findRun } from '../find-run.ts';
import { openLiveRegion } from '../live-region.ts';
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
    const begin = ((await handle.events())[0]?.offset ?? 1) - 1;
    let last = from ?? begin;
    const memory = rememberEvents();
    const live = openLiveRegion(cli);
    const interrupted = onInterrupt();
    try {
      // From the beginning also where less is told: later events refer to earlier ones.
      for await (const event of handle.watch({ from: Math.min(begin, last), signal: interrupted })) {
        memory.note(event);
        live.note(event);
        if (event.offset <= last) continue;
        if (cli.flags.json || !isQuiet(event)) {
          live.print(() => cli.answer(event, (shown, screen) => eventLines(shown, memory, screen)));
        }
        last = event.offset;
        if (event.type === 'run-ended') return exitFor(event);
      }
    } finally {
      live.end();
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
