import {
  DefaultLogger,
  makeTelemetryFilterString,
  Runtime,
  Worker,
  type InjectedSinks,
  type Logger,
} from '@temporalio/worker';
import { createActivities } from '../activities/index.ts';
import type { ActivityPorts } from '../activities/ports.ts';
import type { Config } from '../contracts/agent.ts';
import type { Duration } from '../contracts/duration.ts';
import { durationMs } from '../policy/duration-ms.ts';
import { commandPlace } from '../temporal/command-place.ts';
import { connectWorker } from '../temporal/connect-worker.ts';
import { readSettings, type Settings } from '../temporal/settings.ts';
import type { HoldfastSinks } from '../workflows/proxies.ts';
import { keepAbandonedBodies, type AbandonedBodyKeeper } from './abandoned-bodies.ts';
import { makePorts } from './make-ports.ts';
import { openWorkerStores, storeAddresses, type WorkerStores } from './open-worker-stores.ts';
import { openToolTransport, type ToolTransport } from './tool-transport.ts';
import { workflowBundle } from './workflow-bundle.ts';

export interface AgentWorkerOptions {
  /** Where the server and the stores are. Default: the environment. */
  readonly settings?: Settings;
  /** How long calls in flight may take to end once the worker is asked to stop. Default 25 s. */
  readonly shutdownGrace?: Duration;
  readonly logger?: Logger;
  /** Stores that are open already. The worker closes them. Default: opened by their addresses. */
  readonly stores?: WorkerStores;
}

export interface AgentWorker {
  /** Works until `shutdown` is called or the process gets SIGINT or SIGTERM. Resolves when nothing of it is left. */
  run(): Promise<void>;
  shutdown(): void;
}

const GRACE_MS = 25_000;

/**
 * A worker that runs the agents of a configuration: connects, opens the stores, bundles the workflow.
 * @throws ServerNotReached when no server answers; Error when a store or a model cannot be used as configured.
 */
export async function createAgentWorker(config: Config, options: AgentWorkerOptions = {}): Promise<AgentWorker> {
  const settings = options.settings ?? readSettings();
  const logger = options.logger ?? new DefaultLogger('INFO');
  installRuntime(logger);
  const { connection, namespace, address } = await connectWorker(settings);
  const stores = options.stores ?? openWorkerStores(storeAddresses(config, settings), address);
  const transport = openToolTransport();
  const abandoned = keepAbandonedBodies();
  const place = commandPlace(settings, address);
  const ports = makePorts({ config, connection, namespace, stores, transport, abandoned, logger, place });
  await checkAtStart(ports);
  const graceMs = durationMs(options.shutdownGrace ?? GRACE_MS, 'shutdownGrace');
  const worker = await Worker.create({
    connection,
    namespace,
    taskQueue: config.taskQueue,
    workflowBundle: await workflowBundle(),
    activities: createActivities(ports),
    sinks: eventSinks(stores, logger),
    // A wish to cancel travels on heartbeats.
    maxHeartbeatThrottleInterval: '1s',
    // The default leaves a hole of 10 s after a crash.
    stickyQueueScheduleToStartTimeout: '1s',
    // What is still in flight then says what it knows, within the rest of the grace.
    shutdownGraceTime: Math.round(graceMs * 0.6),
  });
  const parts = { worker, abandoned, transport, graceMs, close: () => closeAll(stores, connection) };
  return {
    run: () => runUntilStopped(parts),
    shutdown: () => {
      if (worker.getState() === 'RUNNING') worker.shutdown();
    },
  };
}

/** What would otherwise fail in the middle of a run: a ledger that cannot be opened, a model that does not exist. */
async function checkAtStart({ ledger, agents, modelOf }: ActivityPorts): Promise<void> {
  await ledger.id();
  await Promise.all(agents.map(modelOf));
}

interface RunningParts {
  readonly worker: Worker;
  readonly abandoned: AbandonedBodyKeeper;
  readonly transport: ToolTransport;
  readonly graceMs: number;
  close(): Promise<void>;
}

async function runUntilStopped({ worker, abandoned, transport, graceMs, close }: RunningParts): Promise<void> {
  let stoppedAt = Date.now();
  const stop = () => {
    stoppedAt = Date.now();
    if (worker.getState() === 'RUNNING') worker.shutdown();
  };
  process.once('SIGINT', stop).once('SIGTERM', stop);
  try {
    await worker.run();
    await abandoned.drain(Math.max(0, graceMs - (Date.now() - stoppedAt)));
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop);
    await transport.destroy();
    await close();
  }
}

async function closeAll(stores: WorkerStores, connection: { close(): Promise<void> }): Promise<void> {
  await stores.close();
  await connection.close();
}

function eventSinks({ events }: WorkerStores, logger: Logger): InjectedSinks<HoldfastSinks> {
  return {
    holdfast: {
      event: {
        callDuringReplay: false,
        async fn(_info, run, event) {
          try {
            await events.append(run, [event]);
          } catch (error) {
            logger.warn('An event for watchers could not be written.', { run, error: String(error) });
          }
        },
      },
    },
  };
}

/** Once per process. A runtime that the user's own code has installed stays as it is. */
function installRuntime(logger: Logger): void {
  if (Runtime._instance) return;
  Runtime.install({
    logger,
    // We end calls in flight with a word about their outcome before we go; the runtime would not.
    shutdownSignals: [],
    telemetryOptions: { logging: { forward: {}, filter: makeTelemetryFilterString({ core: 'WARN', other: 'ERROR' }) } },
  });
}
