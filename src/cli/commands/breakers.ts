import type { Cli } from '../cli.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { breakersScreen } from '../screens/breakers-screen.ts';
import { withClient } from '../with-client.ts';

/** Shows, of each worker that is up, which providers and tools are given a pause, and where nothing is repeated. */
export function breakers(cli: Cli): Promise<ExitCode> {
  return withClient(cli, async (client, config) => {
    const workers = await client.limits();
    cli.answer(workers, (shown, screen) => breakersScreen(shown, config?.taskQueue ?? 'holdfast', screen));
    return EXIT.done;
  });
}
