import { existsSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Config } from '../contracts/agent.ts';
import { UsageError } from './usage-error.ts';

const DEFAULT_FILE = 'holdfast.config.ts';

/** The configuration's file: the one asked for, else the usual one; undefined when that does not exist. @throws UsageError */
export function findConfigFile(asked: string | undefined): string | undefined {
  const file = resolve(asked ?? DEFAULT_FILE);
  if (existsSync(file)) return file;
  if (asked === undefined) return undefined;
  throw new UsageError(
    `there is no configuration at ${file}.\n  Leave --config out to use ${DEFAULT_FILE} of the current folder.`,
  );
}

/** Runs the file and takes its default export. @throws Error that names the file and what is wrong with it. */
export async function loadConfig(file: string): Promise<Config> {
  const loaded = await load(file);
  if (isConfig(loaded)) return loaded;
  throw new Error(
    `${basename(file)} has no default export made by defineConfig.\n` +
      '  Write: export default defineConfig({ agents: [myAgent] })',
  );
}

async function load(file: string): Promise<unknown> {
  try {
    const { default: config } = (await import(pathToFileURL(file).href)) as { default?: unknown };
    return config;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`cannot load ${basename(file)} of ${dirname(file)}: ${why}\n  Where from: add --verbose`, {
      cause,
    });
  }
}

/** As far as a wrong export could mislead us; the rest `defineConfig` has checked. */
function isConfig(value: unknown): value is Config {
  const config = value as Partial<Config> | undefined;
  return typeof config === 'object' && Array.isArray(config.agents) && typeof config.taskQueue === 'string';
}

/** For commands that cannot do without one. @throws UsageError */
export async function needConfig(asked: string | undefined): Promise<Config> {
  const file = findConfigFile(asked);
  if (file !== undefined) return loadConfig(file);
  throw new UsageError(
    `there is no ${DEFAULT_FILE} in ${resolve()}.\n` +
      '  Elsewhere?  add --config FILE\n' +
      '  New here?   write one: export default defineConfig({ agents: [myAgent] })',
  );
}
