import { hostname } from 'node:os';
import { Client, type ClientOptions } from '@temporalio/client';
import type { Logger, NativeConnection } from '@temporalio/worker';
import type { ActivityPorts } from '../activities/ports.ts';
import type { Config } from '../contracts/agent.ts';
import { APPROVAL_DEFAULTS, type ApprovalTerms } from '../contracts/approval.ts';
import { alertTimesOf } from '../policy/alert-times.ts';
import { durationMs } from '../policy/duration-ms.ts';
import { createToolFetch } from '../middleware/tool-fetch.ts';
import { openModel } from '../providers/open-model.ts';
import { findSearchAttributes } from '../temporal/search-attributes.ts';
import { readKeySecrets, readSecret } from '../temporal/settings.ts';
import type { AbandonedBodyKeeper } from './abandoned-bodies.ts';
import type { WorkerStores } from './open-worker-stores.ts';
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
  readonly abandoned: AbandonedBodyKeeper;
  readonly logger: Logger;
  readonly place: string;
  readonly dataConverter?: ClientOptions['dataConverter'];
}

/** Joins the parts of a worker into what its activities need of the world. */
export function makePorts({
  config,
  connection,
  namespace,
  stores,
  transport,
  abandoned,
  logger,
  place,
  dataConverter,
}: PortParts): ActivityPorts {
  const client = new Client({ connection, namespace, ...(dataConverter && { dataConverter }) });
  const { agents, providers, deciders } = config;
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
    modelOf: (agent) => openModel(agent.model, { providers, secretOf: readSecret, fetch: transport.fetch }),
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
