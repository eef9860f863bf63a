import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AgentClient } from '../../src/client/agent-client.ts';
import type { LedgerRecord } from '../../src/contracts/ledger.ts';
import { openLedger } from '../../src/stores/open-stores.ts';
import { readSettings } from '../../src/temporal/settings.ts';
import {
  readPayments,
  startPaymentsProcess,
  startServerProcess,
  type AskedCall,
  type PaymentsCount,
  type ServerProcess,
} from '../../src/testing/index.ts';
import { testAddress } from '../support/rig.ts';

export interface DeskOptions {
  readonly dataDir: string;
  readonly address: string;
  readonly taskQueue: string;
  readonly paymentsUrl: string;
  readonly batches: readonly (readonly AskedCall[])[];
  readonly needsApproval: boolean;
}

/** A worker that may be killed, and a payment service that counts by itself. An order named `lost…` is paid and never answered. */
export interface Desk {
  readonly client: AgentClient;
  count(): PaymentsCount;
  startWorker(): Promise<ServerProcess>;
  records(run: string): Promise<readonly LedgerRecord[]>;
  close(): Promise<void>;
}

let desks = 0;

export async function openDesk(about: Pick<DeskOptions, 'batches' | 'needsApproval'>): Promise<Desk> {
  const dataDir = await mkdtemp(join(tmpdir(), 'holdfast-desk-'));
  const dbFile = join(dataDir, 'payments.db');
  const payments = await startPaymentsProcess({ dbFile });
  const address = testAddress();
  const taskQueue = `desk-${process.pid}-${Date.now()}-${++desks}`;
  const settings = readSettings({ HOLDFAST_DATA: dataDir, TEMPORAL_ADDRESS: address });
  const client = await AgentClient.connect({ settings, taskQueue });
  const ledger = openLedger(settings.ledger);
  const options: DeskOptions = { ...about, dataDir, address, taskQueue, paymentsUrl: payments.url };
  const workers: ServerProcess[] = [];
  return {
    client,
    count: () => readPayments(dbFile),
    async startWorker() {
      const worker = await startServerProcess(new URL('./desk-worker.process.ts', import.meta.url), options);
      workers.push(worker);
      return worker;
    },
    records: (run) => ledger.read({ run }),
    async close() {
      await Promise.all([...workers, payments].map((server) => server.kill()));
      await Promise.all([client.close(), ledger.close()]);
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
