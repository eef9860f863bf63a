import type { Logger, NativeConnection, WorkerOptions } from '@temporalio/worker';
import type { ClientOptions } from '@temporalio/client';
import { createActivities } from '../activities/index.ts';
import type { ActivityPorts } from '../activities/ports.ts';
import type { Config } from '../contracts/agent.ts';
import type { CostPace } from '../contracts/cost-look-up.ts';
import { limitRule } from '../policy/limit-rule.ts';
import { commandPlace } from '../temporal/command-place.ts';
import type { Settings } from '../temporal/settings.ts';
import { createWorkerLimits, systemClock } from '../middleware/index.ts';
import { countTransition } from './count-transition.ts';
import { keepAbandonedBodies } from './abandoned-bodies.ts';
import { eventSinks } from './event-sinks.ts';
import { logEvents } from './log-events.ts';
import { makePorts } from './make-ports.ts';
import { openWorkerStores, storeAddresses, type WorkerStores } from './open-worker-stores.ts';
import { postLimits } from './post-limits.ts';
import { rememberRuns } from './run-identity.ts';
import { openToolTransport } from './tool-transport.ts';

export interface WorkerPlace {
  readonly connection: NativeConnection;
  readonly namespace: string;
  /** `host:port` of the server, where known: stores on a local disk serve no other machine's. */
  readonly address: string;
  readonly settings: Settings;
  readonly logger: Logger;
  /** Stores that are open already. */
  readonly stores?: WorkerStores;
  /** As in AgentWorkerOptions. */
  readonly costPace?: CostPace;
  /** How the user's payloads are written: news to a run must be written the same way. */
  readonly dataConverter?: ClientOptions['dataConverter'];
}

/** The part of a Temporal worker that is ours, and how it ends. */
export interface AssembledWorker {
  readonly options: Pick<
    WorkerOptions,
    'activities' | 'sinks' | 'maxHeartbeatThrottleInterval' | 'stickyQueueScheduleToStartTimeout'
  >;
  readonly stores: WorkerStores;
  /** Calls whose bodies still run although nobody waits for them. */
  lateCalls(): number;
  /** Waits for bodies that nobody waits for any more, at most `graceMs`, then lets go of everything. Called once, after the worker has stopped. */
  finish(graceMs: number): Promise<void>;
}

/** Joins stores, models, tools and activities. @throws when a store or a model cannot be used as configured. */
export async function assembleWorker(config: Config, place: WorkerPlace): Promise<AssembledWorker> {
  const { connection, namespace, address, settings, logger, costPace, dataConverter } = place;
  const opened = place.stores ?? openWorkerStores(storeAddresses(config, settings), address);
  const stores = { ...opened, events: logEvents(opened.events, logger) };
  const transport = openToolTransport();
  const abandoned = keepAbandonedBodies();
  const rule = limitRule(config.breaker);
  const limits = createWorkerLimits({ clock: systemClock, ruleOf: () => rule });
  const command = commandPlace(settings, address);
  const parts = { config, connection, namespace, stores, transport, limits, abandoned, logger, place: command };
  const ports = makePorts({ ...parts, ...(costPace && { costPace }), ...(dataConverter && { dataConverter }) });
  await checkAtStart(ports);
  const posted = postLimits({
    limits,
    events: stores.events,
    identity: ports.holder,
    logger,
    count: countTransition(),
  });
  return {
    options: {
      activities: rememberRuns(createActivities(ports)),
      sinks: eventSinks(stores, logger),
      // A wish to cancel travels on heartbeats.
      maxHeartbeatThrottleInterval: '1s',
      // The default leaves a hole of 10 s after a crash.
      stickyQueueScheduleToStartTimeout: '1s',
    },
    stores,
    lateCalls: () => abandoned.size,
    async finish(graceMs) {
      posted.stop();
      await abandoned.drain(graceMs);
      await transport.destroy();
      await stores.close();
    },
  };
}

/** What would otherwise fail in the middle of a run: a ledger that cannot be opened, a model that does not exist. */
async function checkAtStart({ ledger, agents, modelCallOf }: ActivityPorts): Promise<void> {
  await ledger.id();
  await Promise.all(agents.map(modelCallOf));
}
