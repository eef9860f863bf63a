import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client, WorkflowHandle } from '@temporalio/client';
import { AgentClient } from '../../../src/client/agent-client.ts';
import type { RunHandle } from '../../../src/client/run-handle.ts';
import { durationMs } from '../../../src/policy/duration-ms.ts';
import { readSettings } from '../../../src/temporal/settings.ts';
import { APPROVED, ASKING, BOUNDARIES } from './boundaries.ts';
import type { Group } from './group.ts';
import type { GateProxy, ProxyBoundary, ProxyHold } from './gate-proxy.ts';
import { openPerson, type Person } from './person.ts';
import type { SweepServer } from './sweep-server.ts';
import { startSweepWorker, type SweepWorker, type WorkerProgram } from './sweep-worker.ts';
import type { Boundary, SweepCase } from './sweep-case.ts';
import type { SweepWorkerOptions } from './worker-options.ts';

/** What all cases of a group share. */
export interface Stage {
  /** Where evidence is kept: one folder a case. */
  readonly folder: string;
  readonly server: SweepServer;
  readonly temporal: Client;
  readonly proxy: GateProxy;
  readonly paymentsDb: string;
  readonly program: WorkerProgram;
  /** Runs a start-up when it is its turn: too many at once would slow down the runs that are under way. */
  readonly inTurn: <T>(start: () => Promise<T>) => Promise<T>;
  readonly group: Group;
}

/** One case on its stage: its processes, its run, its person. */
export interface Scene {
  readonly planned: SweepCase;
  readonly stage: Stage;
  readonly folder: string;
  readonly dataDir: string;
  readonly client: AgentClient;
  readonly run: RunHandle;
  readonly handle: WorkflowHandle;
  readonly person: Person;
  /** The worker that is armed with the boundary, and struck. */
  readonly worker: SweepWorker;
  /** What the proxy holds for this case, if anything. */
  readonly held: ProxyHold | undefined;
  /** When the server accepted the run, epoch milliseconds. */
  acceptedAt(): number | undefined;
  start(): Promise<void>;
  /** Another worker, which stops nowhere. */
  startSuccessor(): Promise<void>;
  close(): Promise<void>;
}

export async function openScene(stage: Stage, planned: SweepCase): Promise<Scene> {
  const { id, order, effect } = planned;
  const folder = join(stage.folder, 'cases', id);
  const dataDir = join(folder, 'data');
  await mkdir(dataDir, { recursive: true });
  const settings = readSettings({ HOLDFAST_DATA: dataDir, TEMPORAL_ADDRESS: stage.server.address });
  const client = await AgentClient.connect({ settings, taskQueue: id });
  const options = optionsOf(stage, planned, dataDir);
  const atProxy = proxyBoundaryOf(planned);
  const held = atProxy && stage.proxy.hold(id, atProxy, durationMs(options.landsWithin, 'landsWithin'));
  const worker = await stage.inTurn(() => startSweepWorker(stage.program, { ...options, holds: armed(planned) }));
  const workers = [worker];
  const run = client.get(id);
  const handle = stage.temporal.workflow.getHandle(id);
  let acceptedAt: number | undefined;
  const input = `Refund order ${order}${effect === 'idempotent' ? ' in two amounts' : ''}.`;
  return {
    planned,
    stage,
    folder,
    dataDir,
    client,
    run,
    handle,
    worker,
    held,
    person: openPerson({ order, paymentsDb: stage.paymentsDb, then: orderFor(planned), run, handle }),
    acceptedAt: () => acceptedAt,
    start: async () => {
      await client.start({ agent: 'refunder', input, runId: id });
      acceptedAt = Date.now();
    },
    startSuccessor: async () => {
      workers.push(await stage.inTurn(() => startSweepWorker(stage.program, { ...options, holds: [] })));
    },
    close: async () => {
      await Promise.all(workers.map((one) => one.kill()));
      held?.silence();
      held?.release();
      await client.close();
    },
  };
}

function optionsOf(stage: Stage, { id, effect, victim, boundary }: SweepCase, dataDir: string): SweepWorkerOptions {
  const asks = ASKING.includes(boundary);
  return {
    dataDir,
    address: stage.server.address,
    taskQueue: id,
    paymentsUrl: stage.proxy.urlFor(id, effect === 'unflagged' ? 'keyless' : 'payments'),
    modelUrl: `${stage.proxy.urlFor(id, 'model')}/v1`,
    effect,
    // A group waits for its slowest case before the server is killed.
    timeout: asks ? '2s' : victim === 'server' ? '20s' : '4s',
    landsWithin: asks ? '5s' : '2s',
    // One attempt makes a question of a by-key tool's time-out, and an idempotent one's model ask again.
    maxAttempts: (asks && effect === 'by-key') || effect === 'idempotent' ? 1 : 4,
    needsApproval: APPROVED.includes(boundary),
    holds: [],
  };
}

/** At b8p the model asks again by itself, and must be asked about again. */
const orderFor = ({ boundary }: SweepCase) => (boundary === 'b8p' ? 'tell-model' : 'retry');

/** Where the worker itself is to stop. b15 stops twice: after the tool, so that its history can grow, and at the end of it. */
function armed({ boundary }: SweepCase): readonly Boundary[] {
  if (BOUNDARIES[boundary].heldBy !== 'worker') return [];
  return boundary === 'b15' ? ['b10', 'b15'] : [boundary];
}

/** In cases that need a question the request is held until the tool's time-out; then the effect lands, or never does. */
function proxyBoundaryOf({ boundary, effect }: SweepCase): ProxyBoundary | undefined {
  if (boundary === 'b8p') return 'b8x';
  if (BOUNDARIES[boundary].heldBy === 'proxy') return boundary as ProxyBoundary;
  if (!ASKING.includes(boundary)) return undefined;
  const never =
    boundary === 'b15q' || `${boundary} ${effect}` === 'b13 by-key' || `${boundary} ${effect}` === 'b14 unflagged';
  return never ? 'b8x' : 'b8';
}
