import type { Config } from '../../contracts/agent.ts';
import type { AgentWorker } from '../../workers/create-agent-worker.ts';
import type { Cli } from '../cli.ts';
import { devLogger } from '../dev-logger.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { findConfigFile, loadConfig } from '../load-config.ts';
import { onInterrupt, whenFired } from '../on-interrupt.ts';
import { openDevServer, type DevServerInUse } from '../open-dev-server.ts';
import { sayWhile } from '../../temporal/say.ts';
import { devEnd, devScreen } from '../screens/dev-screen.ts';

export interface DevInput {
  readonly port?: number;
  readonly uiPort?: number;
}

/** Runs the data folder's server, or joins it, and a worker for the configuration where there is one, until Ctrl-C. */
export async function dev(cli: Cli, ports: DevInput): Promise<ExitCode> {
  const startedAt = performance.now();
  cli.say(`Holdfast dev · data in ${cli.settings.dataDir}`);
  const file = findConfigFile(cli.flags.config);
  // Before the server: what is wrong with the configuration should be all there is to read.
  const config = file === undefined ? undefined : await loadConfig(file);
  const server = await openDevServer({
    ...ports,
    settings: cli.settings,
    onProgress: (line) => {
      cli.say(line);
    },
  });
  const interrupted = onInterrupt();
  // Neither a child process nor a signal keeps a process alive.
  const staying = setInterval(() => undefined, 60_000);
  try {
    const worker = config && (await openWorker(cli, config));
    const working = worker?.run();
    const tookMs = Math.round(performance.now() - startedAt);
    cli.answer({ server: server.report, ...(config && { worker: aboutWorker(config) }), tookMs }, devScreen);
    // Joined, and no worker to run: there is nothing to stay for.
    if (!working && server.report.is !== 'started') return EXIT.done;
    await Promise.race([whenFired(interrupted), whenFired(server.gone), ...(working ? [working] : [])]);
    return await end(cli, { server, worker, working, isLost: server.gone.aborted });
  } finally {
    clearInterval(staying);
    await server.close();
  }
}

const aboutWorker = ({ agents, taskQueue }: Config) => ({ agents: agents.map(({ name }) => name), taskQueue });

async function openWorker(cli: Cli, config: Config): Promise<AgentWorker> {
  cli.say('starting the worker …');
  // Only here: its native part takes its time to load.
  const { createAgentWorker } = await import('../../workers/create-agent-worker.ts');
  const write = (line: string) => {
    cli.say(line);
  };
  const logger = devLogger(write, cli.screen, cli.flags.verbose ?? false);
  return createAgentWorker(config, { settings: cli.settings, logger });
}

interface Ending {
  readonly server: DevServerInUse;
  readonly worker: AgentWorker | undefined;
  readonly working: Promise<void> | undefined;
  /** The server went away under us. */
  readonly isLost: boolean;
}

async function end(cli: Cli, { server, worker, working, isLost }: Ending): Promise<ExitCode> {
  if (isLost)
    cli.note(`holdfast: the server at ${server.report.address} has ended.\n  Start it again: ${cli.command('dev')}`);
  // The terminal has just written ^C.
  else cli.say('');
  worker?.shutdown();
  if (working) await endWorker(cli, working);
  await server.close();
  if (isLost) return EXIT.failed;
  cli.say(devEnd({ server: server.report, hadWorker: working !== undefined }, cli.screen()));
  return EXIT.done;
}

/** A call that may have acted gets time to say so; whoever watches sees that it is that, and no hang. */
async function endWorker(cli: Cli, working: Promise<void>): Promise<void> {
  const say = (line: string) => {
    cli.say(line);
  };
  await sayWhile(say, 'ending; calls under way may finish first, Ctrl-C again leaves at once', () => working);
}
