import type { Config } from '../../contracts/agent.ts';
import type { Duration } from '../../contracts/duration.ts';
import type { AgentWorker } from '../../workers/create-agent-worker.ts';
import type { Cli } from '../cli.ts';
import { devLogger } from '../dev-logger.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { needConfig } from '../load-config.ts';
import { onInterrupt, whenFired } from '../on-interrupt.ts';
import { workerEnding, workerScreen, workerStarting } from '../screens/worker-screen.ts';

export interface WorkerInput {
  readonly healthPort?: number;
  readonly metricsPort?: number;
  readonly host?: string;
  readonly grace?: Duration;
}

const DEFAULTS = Object.freeze({ host: '127.0.0.1', grace: '25s' });

/** Runs a worker for the configuration, on a server that is there already, until SIGTERM or Ctrl-C. */
export async function worker(cli: Cli, input: WorkerInput): Promise<ExitCode> {
  const startedAt = performance.now();
  const config = await needConfig(cli.flags.config);
  const { grace, host } = { ...DEFAULTS, ...input };
  const interrupted = onInterrupt();
  cli.say(workerStarting(aboutConfig(config)));
  const running = await openWorker(cli, config, { ...input, host, grace });
  const working = running.run();
  const { server, healthPort } = running;
  const tookMs = Math.round(performance.now() - startedAt);
  const ports = { host, healthPort, metricsPort: input.metricsPort };
  cli.answer({ ...aboutConfig(config), server, ...ports, tookMs }, workerScreen);
  await Promise.race([whenFired(interrupted), working]);
  cli.say(workerEnding(running.callsUnderWay(), grace));
  // Its own ears hear the signal too, but not one that came before it ran.
  running.shutdown();
  await working;
  cli.say('Ended: worker. Runs wait for the next one.');
  return EXIT.done;
}

const aboutConfig = ({ agents, taskQueue }: Config) => ({ agents: agents.map(({ name }) => name), taskQueue });

interface WorkerPlan extends Omit<WorkerInput, 'grace'> {
  readonly grace: Duration;
}

async function openWorker(cli: Cli, config: Config, plan: WorkerPlan): Promise<AgentWorker> {
  // Only here: its native part takes its time to load.
  const { createAgentWorker } = await import('../../workers/create-agent-worker.ts');
  // With --json the answer is all there is on standard output.
  const write = cli.flags.json ? cli.note : cli.say;
  const logger = devLogger(write, cli.screen, cli.flags.verbose ?? false);
  const { grace: shutdownGrace, ...ports } = plan;
  return createAgentWorker(config, { settings: cli.settings, logger, shutdownGrace, ...ports });
}
