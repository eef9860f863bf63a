import { once } from 'node:events';
import type { LocalServer } from './local-server.ts';

/**
 * The body of a server's own process: reads its options, one JSON object, from the first argument, prints one JSON line
 * `{ "url": … }` when it is ready, and ends when stdin closes (so it never outlives whoever started it) or on SIGTERM.
 */
export async function serveUntilTold(start: (options: unknown) => Promise<LocalServer>): Promise<void> {
  const server = await start(JSON.parse(process.argv[2] ?? '{}'));
  process.stdout.write(`${JSON.stringify({ url: server.url })}\n`);
  process.stdin.resume();
  await Promise.race([once(process.stdin, 'close'), once(process.stdin, 'end'), once(process, 'SIGTERM')]);
  await server.close();
  process.exit(0);
}
