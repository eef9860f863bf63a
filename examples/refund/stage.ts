import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { AgentClient } from '../../src/index.ts';
import { joinOrStartServer } from '../../src/temporal/join-or-start-server.ts';
import { readSettings } from '../../src/temporal/settings.ts';
import {
  readPayments,
  startModelServerProcess,
  startPaymentsProcess,
  type PaymentMode,
  type PaymentsCount,
} from '../../src/testing/index.ts';
import type { RefundStory } from './story.ts';

export interface RefundWorker {
  readonly dataDir: string;
  readonly address: string;
  readonly paymentsUrl: string;
  readonly modelUrl: string;
  readonly taskQueue: string;
}

/** Everything the story is played on, each in a process of its own: Temporal, payments, the model, the worker. */
export interface Stage {
  readonly client: AgentClient;
  readonly dataDir: string;
  readonly address: string;
  readonly uiUrl: string | null;
  readonly paymentsUrl: string;
  readonly paymentsDb: string;
  readonly taskQueue: string;
  count(): PaymentsCount;
  /** What payments does with the next refunds. */
  setModes(modes: readonly PaymentMode[]): Promise<void>;
  openModel(story: RefundStory): Promise<{ readonly url: string; close(): Promise<void> }>;
  startWorker(modelUrl: string): Promise<{ kill(): Promise<void>; stop(): Promise<void> }>;
  close(): Promise<void>;
}

const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url));

export async function openStage(
  dataDir: string,
  address: string | undefined,
  say: (line: string) => void,
): Promise<Stage> {
  const server = address ? undefined : await joinOrStartServer({ dataDir, onProgress: say });
  if (server?.is === 'joined') {
    throw new Error(
      `${dataDir} is in use by another demo or dev server. Give this one a folder of its own with --keep.`,
    );
  }
  const target = address ?? server?.server.address ?? '';
  const paymentsDb = join(dataDir, 'payments.db');
  const payments = await startPaymentsProcess({ dbFile: paymentsDb });
  const taskQueue = 'holdfast';
  const running = new Set<{ kill(): Promise<void> }>();
  const client = await AgentClient.connect({
    settings: readSettings({ HOLDFAST_DATA: dataDir, TEMPORAL_ADDRESS: target }),
    taskQueue,
  });
  return {
    client,
    dataDir,
    address: target,
    uiUrl: server?.server.uiUrl ?? null,
    paymentsUrl: payments.url,
    paymentsDb,
    taskQueue,
    count: () => readPayments(paymentsDb),
    async setModes(modes) {
      const response = await fetch(`${payments.url}/modes`, { method: 'POST', body: JSON.stringify(modes) });
      if (!response.ok) throw new Error(`payments did not take its modes: ${response.status} ${await response.text()}`);
    },
    async openModel(story) {
      const model = await startModelServerProcess({ rule: `${here('./story.ts')}#refundStory`, with: { ...story } });
      running.add(model);
      return model;
    },
    async startWorker(modelUrl) {
      const worker = await startWorker({ dataDir, address: target, paymentsUrl: payments.url, modelUrl, taskQueue });
      running.add(worker);
      return worker;
    },
    async close() {
      await Promise.all([...running].map((process) => process.kill()));
      await Promise.all([client.close(), payments.close()]);
      await server?.server.stop();
    },
  };
}

async function startWorker(worker: RefundWorker) {
  const script = here('./worker.process.ts');
  const child = spawn(process.execPath, [script, JSON.stringify(worker)], { stdio: ['pipe', 'pipe', 'pipe'] });
  const errors: Buffer[] = [];
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk));
  const gone = once(child, 'close').then(() => 'gone');
  const ready = once(createInterface({ input: child.stdout }), 'line').then(() => 'ready');
  if ((await Promise.race([ready, gone])) === 'gone') {
    throw new Error(`The worker ended before it was ready.\n${Buffer.concat(errors).toString()}`);
  }
  const end = (signal: NodeJS.Signals) => endBy(child, signal, gone);
  return { kill: () => end('SIGKILL'), stop: () => end('SIGTERM') };
}

async function endBy(child: ChildProcess, signal: NodeJS.Signals, gone: Promise<unknown>): Promise<void> {
  child.kill(signal);
  await gone;
}
