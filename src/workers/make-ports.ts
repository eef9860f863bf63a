import { hostname } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { Client, type ClientOptions } from '@temporalio/client';
import type { Logger, NativeConnection } from '@temporalio/worker';
import type { ActivityPorts } from '../activities/ports.ts';
import type { Config } from '../contracts/agent.ts';
import { APPROVAL_DEFAULTS, type ApprovalTerms } from '../contracts/approval.ts';
import type { CostPace } from '../contracts/cost-look-up.ts';
import { alertTimesOf } from '../policy/alert-times.ts';
import { durationMs } from '../policy/duration-ms.ts';
import { createToolFetch } from '../middleware/tool-fetch.ts';
import { createRateLimiter, systemClock } from '../middleware/index.ts';
import { askCost } from '../providers/ask-cost.ts';
import { knownSecrets } from '../providers/known-secrets.ts';
import { openModel } from '../providers/open-model.ts';
import { findSearchAttributes } from '../temporal/search-attributes.ts';
import { readKeySecrets, readSecret } from '../temporal/settings.ts';
import type { SharedLimits } from '../contracts/shared-limits.ts';
import type { AbandonedBodyKeeper } from './abandoned-bodies.ts';
import { keepEnds } from './keep-ends.ts';
import { createModelCalls } from './model-calls.ts';
import type { WorkerStores } from './open-worker-stores.ts';
import { recordRequests } from './request-records.ts';
import { sendLateOutcome } from './send-late-outcome.ts';
import { logTo } from './tool-log.ts';
import type { ToolTransport } from './tool-transport.ts';
import { openNotifier } from './webhook.ts';

export interface PortParts {
  readonly config: Config;
  readonly connection: NativeConnection;
  readonly namespace: string;
  readonly stores: WorkerStores;
  readonly transport: ToolTransport;
  readonly limits: SharedLimits;
  readonly abandoned: AbandonedBodyKeeper;
  readonly logger: Logger;
  readonly place: string;
  readonly costPace?: CostPace;
  readonly dataConverter?: ClientOptions['dataConverter'];
}

/** Joins the parts of a worker into what its activities need of the world. */
export function makePorts({
  config,
  connection,
  namespace,
  stores,
  transport,
  limits,
  abandoned,
  logger,
  place,
  costPace,
  dataConverter,
}: PortParts): ActivityPorts {
  const client = new Client({ connection, namespace, ...(dataConverter && { dataConverter }) });
  const { agents, providers, deciders } = config;
  const limiterOf = openRateLimiters(config);
  const source = { providers, secretOf: readSecret, fetch: transport.fetch };
  const ends = keepEnds({
    events: stores.events,
    // What is tried again keeps no worker from ending.
    pause: (ms) => setTimeout(ms, undefined, { ref: false }),
    onLost: (error, run) =>
      logTo(logger, { run }).warn(
        'The end of a request or an attempt could not be recorded: its cost is an estimate.',
        {
          error: String(error),
        },
      ),
  });
  const modelCallOf = createModelCalls({
    ...{ config, limits, limiterOf, clock: systemClock },
    open: (model) => openModel(model, source),
    meter: recordRequests({ events: stores.events, now: Date.now, ends }),
  });
  return {
    namespace,
    agents,
    abandoned,
    place,
    holder: `${process.pid}@${hostname()}`,
    ledger: stores.ledger,
    transcripts: stores.transcripts,
    events: stores.events,
    deciders,
    approvals: approvalTerms(config),
    alerts: openAlerts(config),
    keySecrets: readKeySecrets(),
    secretOf: readSecret,
    limits,
    limiterOf,
    knownSecrets: knownSecrets(config, readSecret),
    modelCallOf,
    prices: config.prices,
    ends,
    costPace,
    askCost: (reply) => askCost(reply, source),
    openFetch: (request) => createToolFetch({ ...request, fetch: transport.fetch, now: Date.now }),
    sendLateOutcome: (run, news) => sendLateOutcome(client, run, news),
    searchAttributes: async () => {
      const states = await findSearchAttributes(connection, namespace);
      return Object.entries(states).flatMap(([name, state]) => (state.is === 'present' ? [name] : []));
    },
    logFor: (about) => logTo(logger, about),
    now: Date.now,
    dice: Math.random,
  };
}

/** One limiter for each name in the configuration, shared by all agents of the worker. */
function openRateLimiters({ rateLimits = {} }: Config) {
  const limiters = new Map(
    Object.entries(rateLimits).map(([name, { every, burst = 1 }]) => {
      const intervalMs = every === 0 ? 0 : durationMs(every, `rateLimits["${name}"].every`);
      return [name, createRateLimiter({ intervalMs, burst }, systemClock)] as const;
    }),
  );
  return (name: string) => limiters.get(name);
}

function approvalTerms({ approvals }: Config): ApprovalTerms {
  const { expire, quorum } = approvals ?? {};
  const expiresMs = expire === undefined ? APPROVAL_DEFAULTS.expiresMs : durationMs(expire, 'approvals.expire');
  return { expiresMs, quorum };
}

function openAlerts({ notify }: Config): ActivityPorts['alerts'] {
  const notifier = openNotifier(notify, readSecret);
  if (!notify || !notifier) return undefined;
  const { webUi } = notify;
  return { notifier, times: alertTimesOf(notify), ...(webUi && { webUi }) };
}
