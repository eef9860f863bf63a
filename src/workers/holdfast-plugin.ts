import {
  NativeConnection,
  type ReplayWorkerOptions,
  type Worker,
  type WorkerOptions,
  type WorkerPlugin,
} from '@temporalio/worker';
import type { Config } from '../contracts/agent.ts';
import { readSettings, type Settings } from '../temporal/settings.ts';
import { assembleWorker, type AssembledWorker } from './assemble-worker.ts';
import { loggerOf } from './logger-of.ts';
import { workflowBundle } from './workflow-bundle.ts';

export interface HoldfastPluginOptions {
  /** Where the stores are. Default: the environment. */
  readonly settings?: Settings;
  /**
   * `host:port` of the server your connection goes to. Needed where the environment does not name it: a store on a local disk
   * must not serve workers of other machines, and a connection does not say where it goes.
   */
  readonly address?: string;
  /** How long, after the worker has stopped, calls that nobody waits for may still report. Default 10 s. */
  readonly lateNewsMs?: number;
}

const LATE_NEWS_MS = 10_000;

/**
 * Holdfast in a Temporal worker of your own: `Worker.create({ …, plugins: [holdfast(config)] })`. It adds its activities and
 * its event sink; your workflows, activities, codec, interceptors and options stay as they are. Your workflows file exports
 * the run's workflow: `export * from 'holdfast/workflow'`; a worker without workflows gets ours.
 */
export function holdfast(config: Config, options: HoldfastPluginOptions = {}): WorkerPlugin {
  let assembled: AssembledWorker | undefined;
  return {
    name: 'holdfast',
    async configureWorker(own: WorkerOptions): Promise<WorkerOptions> {
      const connection = own.connection ?? (await NativeConnection.connect());
      const settings = options.settings ?? readSettings();
      const address = options.address ?? addressOf(settings);
      const namespace = own.namespace ?? 'default';
      const place = { connection, namespace, address, settings, logger: loggerOf() };
      assembled = await assembleWorker(config, {
        ...place,
        ...(own.dataConverter && { dataConverter: own.dataConverter }),
      });
      return join(own, assembled.options, { connection, ...(await workflowsOf(own)) });
    },
    configureReplayWorker(own: ReplayWorkerOptions): ReplayWorkerOptions {
      return { ...own, sinks: { ...own.sinks, holdfast: { event: { fn: () => undefined } } } };
    },
    async runWorker(worker: Worker, next: (worker: Worker) => Promise<void>): Promise<void> {
      try {
        await next(worker);
      } finally {
        await assembled?.finish(options.lateNewsMs ?? LATE_NEWS_MS);
      }
    },
  };
}

function addressOf({ temporal }: Settings): string {
  if (temporal.is === 'external') return temporal.address;
  throw new Error(
    "The Holdfast plugin does not know which server your connection goes to. Say it: holdfast(config, { address: '127.0.0.1:7233' }), or set TEMPORAL_ADDRESS.",
  );
}

/** What the user has set stays; activities and sinks are joined, and a name that both use is said. */
function join(own: WorkerOptions, ours: AssembledWorker['options'], more: Partial<WorkerOptions>): WorkerOptions {
  const theirs = Object.keys(own.activities ?? {});
  const twice = Object.keys(ours.activities ?? {}).find((name) => theirs.includes(name));
  if (twice) throw new Error(`Your worker has an activity "${twice}", which Holdfast needs for itself. Rename yours.`);
  const activities = { ...own.activities, ...ours.activities };
  return { ...ours, ...own, ...more, activities, sinks: { ...own.sinks, ...ours.sinks } };
}

async function workflowsOf({ workflowsPath, workflowBundle: bundle }: WorkerOptions): Promise<Partial<WorkerOptions>> {
  return workflowsPath || bundle ? {} : { workflowBundle: await workflowBundle() };
}
