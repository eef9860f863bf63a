import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AgentClient, createAgentWorker, defineConfig, type Agent, type AgentWorkerOptions } from '../../src/index.ts';
import { joinOrStartServer } from '../../src/temporal/join-or-start-server.ts';
import { readSettings } from '../../src/temporal/settings.ts';

type Logger = NonNullable<AgentWorkerOptions['logger']>;

export interface StageOptions {
  readonly agent: Agent;
  readonly onProgress: (line: string) => void;
  /** Default: nobody hears the worker. */
  readonly logger?: Logger;
  /** Where `compatible/…` is. */
  readonly modelUrl?: string;
}

/** A Temporal server of our own, one worker and a client, for one run. Nothing is left when it is closed. */
export interface Stage {
  readonly client: AgentClient;
  readonly address: string;
  close(): Promise<void>;
}

export async function openStage({ agent, onProgress, logger = silent, modelUrl }: StageOptions): Promise<Stage> {
  const dataDir = await mkdtemp(join(tmpdir(), 'holdfast-replay-'));
  // What was opened last is closed first.
  const closers: (() => Promise<unknown>)[] = [() => rm(dataDir, { recursive: true, force: true })];
  const close = async () => {
    for (const one of closers.splice(0).reverse()) await one().catch(() => undefined);
  };
  try {
    const { server } = await joinOrStartServer({ dataDir, onProgress });
    if ('stop' in server) closers.push(() => server.stop());
    const { address } = server;
    const settings = readSettings({ HOLDFAST_DATA: dataDir, TEMPORAL_ADDRESS: address });
    const taskQueue = 'holdfast';
    onProgress('starting the worker');
    const config = defineConfig({
      agents: [agent],
      taskQueue,
      ...(modelUrl !== undefined && { providers: { compatible: { baseURL: modelUrl } } }),
    });
    const worker = await createAgentWorker(config, { settings, logger, shutdownGrace: '2s' });
    const running = worker.run();
    closers.push(async () => {
      worker.shutdown();
      await running;
    });
    const client = await AgentClient.connect({ settings, taskQueue });
    closers.push(() => client.close());
    return { client, address, close };
  } catch (error) {
    await close();
    throw error;
  }
}

const nothing = () => undefined;
const silent: Logger = { log: nothing, trace: nothing, debug: nothing, info: nothing, warn: nothing, error: nothing };
