import { connect, type Connected } from '../../temporal/connect.ts';
import { findNamespace } from '../../temporal/find-namespace.ts';
import { findSearchAttributes } from '../../temporal/search-attributes.ts';
import { compareClocks } from '../../temporal/server-clock.ts';
import type { Cli } from '../cli.ts';
import { fail, ok, warn, type Finding } from './finding.ts';
import { judgeAttributes, judgeClock, judgeNamespace } from './judge-server.ts';

/** Looks at the server that the settings name; one of our own may simply not run yet. */
export async function checkServer(cli: Cli): Promise<readonly Finding[]> {
  if (cli.fault) return [unreadable(cli.fault)];
  const connected = await connect(cli.settings).catch((error: unknown) => error as Error);
  if (connected instanceof Error) return [notReached(cli, connected)];
  try {
    return await lookInside(cli, connected);
  } finally {
    await connected.connection.close();
  }
}

async function lookInside(cli: Cli, { connection, namespace, address }: Connected): Promise<readonly Finding[]> {
  const reached = ok('Server', address);
  const state = await findNamespace(connection, namespace);
  const found = [reached, judgeNamespace(namespace, state)];
  if (state.is === 'missing') return found;
  const [attributes, clock] = await Promise.all([
    findSearchAttributes(connection, namespace),
    compareClocks(connection, namespace).catch(() => undefined),
  ]);
  return [...found, judgeAttributes(attributes, cli.command), judgeClock(clock)];
}

function unreadable({ message }: Error): Finding {
  const [, says = message, what = ''] = /^(.*?\.) ((?:Look at|Check|Use) [^]*)$/.exec(message) ?? [];
  return fail('Server', says, what || 'correct the TEMPORAL_* variables or the profile');
}

function notReached({ settings, command }: Cli, { message }: Error): Finding {
  const [says = ''] = message.split('\n');
  return settings.temporal.is === 'local'
    ? warn('Server', says, command('dev'))
    : fail('Server', says, 'check TEMPORAL_ADDRESS or the profile, and TLS (TEMPORAL_TLS, TEMPORAL_API_KEY)');
}
