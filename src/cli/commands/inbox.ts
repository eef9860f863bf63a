import type { Cli } from '../cli.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { inboxScreen } from '../screens/inbox-screen.ts';
import { webUrlOf } from '../web-url.ts';
import { withClient } from '../with-client.ts';

/** Lists what waits for a person, one item per effect. */
export function inbox(cli: Cli): Promise<ExitCode> {
  return withClient(cli, async (client) => {
    const [items, webUrl] = await Promise.all([client.inbox(), webUrlOf(cli.settings)]);
    cli.answer(
      items.map((item) => ({ ...item, webUrl: webUrl(item.question.run) })),
      inboxScreen,
    );
    return items.length === 0 ? EXIT.done : EXIT.waits;
  });
}
