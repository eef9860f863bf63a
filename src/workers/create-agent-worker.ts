import { DefaultLogger, type NativeConnection, Worker, type Logger } from '@temporalio/worker';
import type { Config } from '../contracts/agent.ts';
import type { CostPace } from '../contracts/cost-look-up.ts';
import type { Duration } from '../contracts/duration.ts';
import { durationMs } from '../policy/duration-ms.ts';
import { connectWorker } from '../temporal/connect-worker.ts';
import { readSettings, type Settings } from '../temporal/settings.ts';
import { assembleWorker, type AssembledWorker } from './assemble-worker.ts';
import { startHealthServer, type HealthServer, type Readiness } from './health-server.ts';
import { installRuntime } from './install-runtime.ts';
import type { WorkerStores } from './open-worker-stores.ts';
import { workflowBundle } from './workflow-bundle.ts';

export interface AgentWorkerOptions {
  /** Where the server and the stores are. Default: the environment. */
  readonly settings?: Settings;
  /** How long calls in flight may take to end once the worker is asked to stop. Default 25 s. */
  readonly shutdownGrace?: Duration;
  readonly logger?: Logger;
  /** Stores that are open already. The worker closes them. Default: opened by their addresses. */
  readonly stores?: WorkerStores;
  /**
   * When a provider is asked what a reply cost that broke off. Default: COST_PACE, 15 min in all. For a provider of your own that
   * knows it sooner, as in tests. Runs keep the one of the worker that began them.
   */
  readonly costPace?: CostPace;
  /** Answers `/healthz` and `/readyz` on this port of `host`; 0 takes a free one. Default: nowhere. */
  readonly healthPort?: number;
  /** Serves Temporal's metrics for Prometheus on this port of `host`, unless the process has a runtime already. Default: nowhere. */
  readonly metricsPort?: number;
  /** Default 127.0.0.1. */
  readonly host?: string;
}

export interface AgentWorker {
  /** Where `/healthz` and `/readyz` are answered, when asked for. */
  readonly healthPort: number | undefined;
  /** The server it works for, `address` as `host:port`. */
  readonly server: { readonly address: string; readonly namespace: string };
  /** Model and tool calls that are under way at this moment, those that nobody waits for any more included. */
  callsUnderWay(): number;
  /** Works until `shutdown` is called or the process gets SIGINT or SIGTERM. Resolves when nothing of it is left. */
  run(): Promise<void>;
  shutdown(): void;
}

const GRACE_MS = 25_000;

/**
 * A worker that runs the agents of a configuration: connects, opens the stores, bundles the workflow.
 * @throws ServerNotReached when no server answers; Error when a store, a model or a port cannot be used as configured.
 */
export async function createAgentWorker(config: Config, options: AgentWorkerOptions = {}): Promise<AgentWorker> {
  const settings = options.settings ?? readSettings();
  const logger = options.logger ?? new DefaultLogger('INFO');
  const host = options.host ?? '127.0.0.1';
  const graceMs = durationMs(options.shutdownGrace ?? GRACE_MS, 'shutdownGrace');
  installRuntime(logger, options.metricsPort === undefined ? undefined : `${host}:${options.metricsPort}`);
  const { connection, namespace, address } = await connectWorker(settings);
  try {
    const place = {
      connection,
      namespace,
      address,
      settings,
      logger,
      ...(options.stores && { stores: options.stores }),
      ...(options.costPace && { costPace: options.costPace }),
    };
    const assembled = await assembleWorker(config, place);
    // Before the worker: a connection cannot be closed once a worker has it, and the port may be taken.
    const readiness = watchReadiness(assembled, connection);
    const { healthPort } = options;
    const health = healthPort === undefined ? undefined : await startHealthServer(host, healthPort, readiness.whyNot);
    const worker = await Worker.create({
      ...assembled.options,
      connection,
      namespace,
      taskQueue: config.taskQueue,
      workflowBundle: await workflowBundle(),
      // What is still in flight then says what it knows, within the rest of the grace.
      shutdownGraceTime: Math.round(graceMs * 0.6),
    });
    readiness.worker = worker;
    const close = () => connection.close();
    const stop = rememberStop(worker);
    return {
      healthPort: health?.port,
      server: { address, namespace },
      callsUnderWay: () => worker.getStatus().numInFlightActivities + assembled.lateCalls(),
      run: () => runUntilStopped({ worker, assembled, health, graceMs, stop, close }),
      shutdown: stop,
    };
  } catch (error) {
    await connection.close();
    throw error;
  }
}

interface WatchedReadiness {
  worker?: Worker;
  readonly whyNot: Readiness;
}

/** A server that is asked whether it is there and says nothing for so long is away. */
const SERVER_ANSWERS_MS = 2_000;

function watchReadiness({ stores }: AssembledWorker, connection: NativeConnection): WatchedReadiness {
  const watched: WatchedReadiness = {
    whyNot: async () => {
      const state = watched.worker?.getState() ?? 'INITIALIZED';
      if (state !== 'RUNNING') return `the worker is ${state.toLowerCase()}`;
      await stores.ledger.id();
      try {
        const until = Date.now() + SERVER_ANSWERS_MS;
        await connection.withDeadline(until, () => connection.workflowService.getSystemInfo({}));
        return undefined;
      } catch {
        return 'the Temporal server does not answer';
      }
    },
  };
  return watched;
}

interface RunningParts {
  readonly worker: Worker;
  readonly assembled: AssembledWorker;
  readonly health: HealthServer | undefined;
  readonly graceMs: number;
  readonly stop: Stop;
  close(): Promise<void>;
}

interface Stop {
  /** Asks the worker to stop; again changes nothing. */
  (): void;
  /** Since when it stops, epoch milliseconds. */
  at(): number | undefined;
  /** Resolves so many milliseconds after it was asked to stop. */
  expired(ms: number): Promise<void>;
}

function rememberStop(worker: Worker): Stop {
  let stoppedAt: number | undefined;
  const stopped: PromiseWithResolvers<unknown> = Promise.withResolvers();
  const stop = () => {
    if (worker.getState() !== 'RUNNING') return;
    stoppedAt = Date.now();
    stopped.resolve(undefined);
    worker.shutdown();
  };
  const expired = async (ms: number) => {
    await stopped.promise;
    await new Promise((resolve) => setTimeout(resolve, ms).unref());
  };
  return Object.assign(stop, { at: () => stoppedAt, expired });
}

/** What a worker needs to end once its calls have ended. */
const END_WITHIN_MS = 3_000;

async function runUntilStopped({ worker, assembled, health, graceMs, stop, close }: RunningParts): Promise<void> {
  process.once('SIGINT', stop).once('SIGTERM', stop);
  try {
    // A server that is away would hold the worker's own end for ever: the grace, and a little, is all it gets.
    const running = worker.run();
    running.catch(() => undefined);
    await Promise.race([running, stop.expired(graceMs + END_WITHIN_MS)]);
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop);
    const stoppedAt = stop.at() ?? Date.now();
    await assembled.finish(Math.max(0, graceMs - (Date.now() - stoppedAt)));
    await health?.close();
    // A worker that has not ended still holds its connection; the process is about to go.
    await close().catch(() => undefined);
  }
}
