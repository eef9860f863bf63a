import type { Cli } from '../cli.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { inboxScreen } from '../screens/inbox-screen.ts';
import { plain } from '../screens/plain.ts';
import { webUrlOf } from '../web-url.ts';
import { withClient } from '../with-client.ts';

/** Lists what waits for a person, one item per effect. */
export function inbox(cli: Cli): Promise<ExitCode> {
  return withClient(cli, async (client, config) => {
    const [{ items, silent }, webUrl] = await Promise.all([client.waiting(), webUrlOf(cli.settings)]);
    const shown = items.map((item) => {
      const canAbort = item.question.kind === 'outcome' && item.from === 'run' && config?.deciders === undefined;
      return { ...item, canAbort, webUrl: webUrl(item.question.run) };
    });
    const unasked = silent.map((row) => ({ ...row, from: 'silent' as const }));
    cli.answer([...shown, ...unasked], (_, screen) => inboxScreen(plain(shown), plain(silent), screen));
    return items.length + silent.length === 0 ? EXIT.done : EXIT.waits;
  });
}
