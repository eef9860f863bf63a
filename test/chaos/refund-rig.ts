import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AgentClient } from '../../src/client/agent-client.ts';
import type { RunHandle } from '../../src/client/run-handle.ts';
import type { LedgerRecord } from '../../src/contracts/ledger.ts';
import { openLedger } from '../../src/stores/open-stores.ts';
import { readSettings } from '../../src/temporal/settings.ts';
import {
  readPayments,
  startPaymentsProcess,
  type PaymentMode,
  type PaymentsCount,
  type ServerProcess,
} from '../../src/testing/index.ts';
import { startRefundWorker, type RefundWorkerOptions, type WorkerProcess } from '../support/refund-worker.ts';
import { testAddress } from '../support/rig.ts';

/** Real processes: a worker that may be killed, and a payments service that counts arrivals and effects by itself. */
export interface RefundRig {
  readonly client: AgentClient;
  readonly payments: ServerProcess;
  count(): PaymentsCount;
  startWorker(
    options: Pick<RefundWorkerOptions, 'effect' | 'timeout'> & Partial<RefundWorkerOptions>,
  ): Promise<WorkerProcess>;
  startRun(): Promise<RunHandle>;
  records(run: string): Promise<readonly LedgerRecord[]>;
  close(): Promise<void>;
}

let rigs = 0;

export async function openRefundRig(modes: readonly PaymentMode[], address = testAddress()): Promise<RefundRig> {
  const dataDir = await mkdtemp(join(tmpdir(), 'holdfast-refund-'));
  const dbFile = join(dataDir, 'payments.db');
  const payments = await startPaymentsProcess({ dbFile, modes });
  const taskQueue = `refund-${process.pid}-${Date.now()}-${++rigs}`;
  const settings = readSettings({ HOLDFAST_DATA: dataDir, TEMPORAL_ADDRESS: address });
  const client = await AgentClient.connect({ settings, taskQueue });
  const ledger = openLedger(settings.ledger);
  const workers: WorkerProcess[] = [];
  return {
    client,
    payments,
    count: () => readPayments(dbFile),
    async startWorker(options) {
      const worker = await startRefundWorker({ dataDir, address, taskQueue, paymentsUrl: payments.url, ...options });
      workers.push(worker);
      return worker;
    },
    startRun: () => client.start({ agent: 'refunder', input: 'Refund order A-1.', runId: taskQueue }),
    records: (run) => ledger.read({ run }),
    async close() {
      await Promise.all(workers.map((worker) => worker.kill()));
      await Promise.all([payments.kill(), client.close(), ledger.close()]);
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
