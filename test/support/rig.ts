import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { AgentClient } from '../../src/client/agent-client.ts';
import type { AgentDefinition, HoldfastConfig } from '../../src/contracts/agent.ts';
import type { CostPace } from '../../src/contracts/cost-look-up.ts';
import type { EventStore } from '../../src/contracts/event-store.ts';
import type { Ledger, LedgerRecord } from '../../src/contracts/ledger.ts';
import type { TranscriptStore } from '../../src/contracts/transcript.ts';
import { defineAgent, defineConfig } from '../../src/policy/define-agent.ts';
import { openLedger } from '../../src/stores/open-stores.ts';
import { readSettings, type Settings } from '../../src/temporal/settings.ts';
import { createAgentWorker, type AgentWorker } from '../../src/workers/create-agent-worker.ts';
import { openWorkerStores, storeAddresses } from '../../src/workers/open-worker-stores.ts';
import { quietLogger } from './quiet-logger.ts';

/** A worker, a client and stores of one test's own, on the shared server. */
export interface Rig {
  readonly settings: Settings;
  readonly taskQueue: string;
  readonly client: AgentClient;
  /** The plain Temporal client, as an operator would use it. */
  readonly temporal: Client;
  readonly ledger: Ledger;
  /** Starts a worker for the rig's agent, or for another version of it, or with another configuration. */
  startWorker(other?: TestAgent, config?: RigOptions['config']): Promise<RunningWorker>;
  records(run: string): Promise<readonly LedgerRecord[]>;
  stopWorkers(): Promise<void>;
  close(): Promise<void>;
}

export interface RunningWorker {
  /** Stops it as SIGTERM would, and waits until it has gone. */
  stop(): Promise<void>;
}

export type TestAgent = Omit<AgentDefinition, 'name' | 'instructions'> & Partial<AgentDefinition>;

let rigs = 0;

export function testAddress(): string {
  const address = process.env['HOLDFAST_TEST_ADDRESS'];
  if (!address) throw new Error('No test server: run the tests through jest with its global set-up.');
  return address;
}

/** Opens a rig with one agent named `tester`; the worker is started unless told otherwise. */
export async function openRig(
  agent: TestAgent,
  {
    worker: starts = 'now',
    grace = '4s',
    wrapLedger,
    wrapTranscripts,
    wrapEvents,
    costPace,
    config = {},
    env = {},
  }: RigOptions = {},
): Promise<Rig> {
  const dataDir = await mkdtemp(join(tmpdir(), 'holdfast-rig-'));
  const settings = readSettings({ HOLDFAST_DATA: dataDir, TEMPORAL_ADDRESS: testAddress(), ...env });
  const taskQueue = `rig-${process.pid}-${Date.now()}-${++rigs}`;
  const configOf = (version: TestAgent, rest: RigOptions['config']) =>
    defineConfig({
      agents: [defineAgent({ name: 'tester', instructions: 'You are tested.', ...version })],
      taskQueue,
      ...rest,
    });
  const { deciders, approvals } = config;
  const client = await AgentClient.connect({
    settings,
    taskQueue,
    ...(deciders && { deciders }),
    ...(approvals?.quorum && { quorum: approvals.quorum }),
  });
  const connection = await Connection.connect({ address: testAddress() });
  const ledger = openLedger(settings.ledger);
  const workers: RunningWorker[] = [];
  const startWorker = async (version: TestAgent = agent, rest: RigOptions['config'] = config) => {
    const stores = openWorkerStores(storeAddresses({}, settings), testAddress());
    const ledgerSeen = wrapLedger ? wrapLedger(stores.ledger) : stores.ledger;
    const transcripts = wrapTranscripts ? wrapTranscripts(stores.transcripts) : stores.transcripts;
    const events = wrapEvents ? wrapEvents(stores.events) : stores.events;
    const seen = { ...stores, ledger: ledgerSeen, transcripts, events };
    const options = {
      ...{ settings, shutdownGrace: grace, logger: quietLogger, stores: seen },
      ...(costPace && { costPace }),
    };
    const worker = runWorker(await createAgentWorker(configOf(version, rest), options));
    workers.push(worker);
    return worker;
  };
  const stopWorkers = async () => {
    await Promise.all(workers.splice(0).map((worker) => worker.stop()));
  };
  if (starts === 'now') await startWorker();
  return {
    settings,
    taskQueue,
    client,
    temporal: new Client({ connection }),
    ledger,
    startWorker,
    records: (run) => ledger.read({ run }),
    stopWorkers,
    async close() {
      await stopWorkers();
      await Promise.all([client.close(), connection.close(), ledger.close()]);
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

export interface RigOptions {
  readonly worker?: 'now' | 'later';
  readonly grace?: `${number}s`;
  /** Stands between the worker and its ledger, to make it slow or lose it. */
  readonly wrapLedger?: (ledger: Ledger) => Ledger;
  readonly wrapTranscripts?: (transcripts: TranscriptStore) => TranscriptStore;
  readonly wrapEvents?: (events: EventStore) => EventStore;
  /** When a provider is asked what a reply cost. */
  readonly costPace?: CostPace;
  /** Further variables of the environment: where the stores are. */
  readonly env?: Readonly<Record<string, string>>;
  /** What the workers' configuration has beside the agent. */
  readonly config?: Omit<HoldfastConfig, 'agents' | 'taskQueue'>;
}

function runWorker(worker: AgentWorker): RunningWorker {
  const running = worker.run();
  return {
    async stop() {
      worker.shutdown();
      await running;
    },
  };
}
