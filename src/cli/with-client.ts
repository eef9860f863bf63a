import { AgentClient } from '../client/agent-client.ts';
import type { Config } from '../contracts/agent.ts';
import type { Cli } from './cli.ts';
import { findConfigFile, loadConfig } from './load-config.ts';

/** Connects, works and closes. The configuration says which stores and task queue are meant, where there is one. */
export async function withClient<Answer>(
  cli: Cli,
  work: (client: AgentClient, config: Config | undefined) => Promise<Answer>,
): Promise<Answer> {
  const config = await configIfAny(cli);
  const { taskQueue, ledger, events, deciders, approvals } = config ?? {};
  const client = await AgentClient.connect({
    settings: cli.settings,
    ...(taskQueue !== undefined && { taskQueue }),
    ...(ledger !== undefined && { ledger }),
    ...(events !== undefined && { events }),
    ...(deciders !== undefined && { deciders }),
    ...(approvals?.quorum !== undefined && { quorum: approvals.quorum }),
  });
  try {
    return await work(client, config);
  } finally {
    await client.close();
  }
}

/** A configuration that does not load must not keep a person from deciding: only one asked for by name is an error. */
export async function configIfAny(cli: Cli): Promise<Config | undefined> {
  const file = findConfigFile(cli.flags.config);
  if (file === undefined) return undefined;
  try {
    return await loadConfig(file);
  } catch (error) {
    if (cli.flags.config !== undefined) throw error;
    cli.note(`holdfast: ${(error as Error).message}\n  Going on without it, with the stores of the data folder.`);
    return undefined;
  }
}
