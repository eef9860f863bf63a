import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AgentClient } from '../../src/client/agent-client.ts';
import { readSettings } from '../../src/temporal/settings.ts';
import { startServerProcess, type ServerProcess } from '../../src/testing/index.ts';
import { openModelPeer, type ModelPeer } from '../faults/model-peer.ts';
import { testAddress } from '../support/rig.ts';

export interface StreamWorkerOptions {
  readonly dataDir: string;
  readonly address: string;
  readonly taskQueue: string;
  readonly modelUrl: string;
  /** Address of the event store. Default: a file. */
  readonly events?: string | undefined;
}

/** Workers that may be killed. */
export interface StreamWorkers {
  readonly client: AgentClient;
  readonly dataDir: string;
  startWorker(): Promise<ServerProcess>;
  close(): Promise<void>;
}

/** The same, and a model in this process that plays a story to each run. */
export interface StreamRig extends StreamWorkers {
  readonly peer: ModelPeer;
}

let rigs = 0;

export async function openStreamRig(): Promise<StreamRig> {
  const peer = await openModelPeer();
  const workers = await openStreamWorkers(peer.url);
  return {
    ...workers,
    peer,
    async close() {
      await workers.close();
      await peer.close();
    },
  };
}

export async function openStreamWorkers(modelUrl: string, events?: string): Promise<StreamWorkers> {
  const dataDir = await mkdtemp(join(tmpdir(), 'holdfast-streams-'));
  const address = testAddress();
  const taskQueue = `streams-${process.pid}-${Date.now()}-${++rigs}`;
  const settings = settingsOf({ dataDir, address, events });
  const client = await AgentClient.connect({ settings, taskQueue });
  const options: StreamWorkerOptions = { dataDir, address, taskQueue, modelUrl, events };
  const workers: ServerProcess[] = [];
  return {
    client,
    dataDir,
    async startWorker() {
      const worker = await startServerProcess(new URL('./stream-worker.process.ts', import.meta.url), options);
      workers.push(worker);
      return worker;
    },
    async close() {
      await Promise.all(workers.map((worker) => worker.kill()));
      await client.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

export const settingsOf = ({ dataDir, address, events }: Pick<StreamWorkerOptions, 'dataDir' | 'address' | 'events'>) =>
  readSettings({ HOLDFAST_DATA: dataDir, TEMPORAL_ADDRESS: address, ...(events && { HOLDFAST_EVENTS: events }) });
