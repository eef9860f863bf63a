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
}

/** Workers that may be killed, and a model in this process that plays a story to each run. */
export interface StreamRig {
  readonly client: AgentClient;
  readonly peer: ModelPeer;
  readonly dataDir: string;
  startWorker(): Promise<ServerProcess>;
  close(): Promise<void>;
}

let rigs = 0;

export async function openStreamRig(): Promise<StreamRig> {
  const dataDir = await mkdtemp(join(tmpdir(), 'holdfast-streams-'));
  const peer = await openModelPeer();
  const address = testAddress();
  const taskQueue = `streams-${process.pid}-${Date.now()}-${++rigs}`;
  const settings = readSettings({ HOLDFAST_DATA: dataDir, TEMPORAL_ADDRESS: address });
  const client = await AgentClient.connect({ settings, taskQueue });
  const options: StreamWorkerOptions = { dataDir, address, taskQueue, modelUrl: peer.url };
  const workers: ServerProcess[] = [];
  return {
    client,
    peer,
    dataDir,
    async startWorker() {
      const worker = await startServerProcess(new URL('./stream-worker.process.ts', import.meta.url), options);
      workers.push(worker);
      return worker;
    },
    async close() {
      await Promise.all(workers.map((worker) => worker.kill()));
      await Promise.all([client.close(), peer.close()]);
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
