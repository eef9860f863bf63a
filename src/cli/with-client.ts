import { AgentClient } from '../client/agent-client.ts';
import type { Config } from '../contracts/agent.ts';
import type { Cli } from './cli.ts';
import { findConfigFile, loadConfig } from './load-config.ts';
import { UsageError } from './usage-error.ts';

type Work<Answer> = (client: AgentClient, config: Config | undefined) => Promise<Answer>;

/** Connects, works and closes. The configuration says which stores and task queue are meant, where there is one. */
export async function withClient<Answer>(cli: Cli, work: Work<Answer>): Promise<Answer> {
  return connected(cli, await configIfAny(cli), work);
}

/** The same for deciding and starting: with a configuration that does not load it refuses. */
export async function withSureClient<Answer>(cli: Cli, work: Work<Answer>): Promise<Answer> {
  return connected(cli, await configThatLoads(cli), work);
}

async function connected<Answer>(cli: Cli, config: Config | undefined, work: Work<Answer>): Promise<Answer> {
  const { taskQueue, ledger, events, deciders, approvals, prices } = config ?? {};
  const client = await AgentClient.connect({
    settings: cli.settings,
    ...(taskQueue !== undefined && { taskQueue }),
    ...(ledger !== undefined && { ledger }),
    ...(events !== undefined && { events }),
    ...(deciders !== undefined && { deciders }),
    ...(approvals?.quorum !== undefined && { quorum: approvals.quorum }),
    ...(prices !== undefined && { prices }),
  });
  try {
    return await work(client, config);
  } finally {
    await client.close();
  }
}

/** To look, and to stop, nobody needs a configuration that loads, unless it was asked for by name. */
export async function configIfAny(cli: Cli): Promise<Config | undefined> {
  try {
    return await configFound(cli);
  } catch (error) {
    if (cli.flags.config !== undefined) throw error;
    cli.note(`holdfast: ${(error as Error).message}\n  Going on without it, with the stores of the data folder.`);
    return undefined;
  }
}

/** Without it nobody knows who may decide, how many must agree, or which stores are meant. */
async function configThatLoads(cli: Cli): Promise<Config | undefined> {
  try {
    return await configFound(cli);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new Error(
      `${(error as Error).message}\n` +
        '  Nothing was done: it says who may decide, how many must agree, and which stores are meant.\n' +
        '  Mend it, or name another one: add --config FILE',
      { cause: error },
    );
  }
}

async function configFound({ flags }: Cli): Promise<Config | undefined> {
  const file = findConfigFile(flags.config);
  return file === undefined ? undefined : loadConfig(file);
}
