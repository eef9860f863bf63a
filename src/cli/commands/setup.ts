import { connect } from '../../temporal/connect.ts';
import { registerSearchAttributes } from '../../temporal/search-attributes.ts';
import type { Cli } from '../cli.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { setupScreen } from '../screens/setup-screen.ts';

/** Registers the search attributes and tells of each one. Without them runs work, and only lists lack their filters. */
export async function setup(cli: Cli): Promise<ExitCode> {
  const { connection, address, namespace } = await connect(cli.settings);
  try {
    const attributes = await registerSearchAttributes(connection, namespace);
    cli.answer({ address, namespace, attributes }, setupScreen);
    const isComplete = Object.values(attributes).every(({ is }) => is === 'created' || is === 'already-there');
    return isComplete ? EXIT.done : EXIT.failed;
  } finally {
    await connection.close();
  }
}
