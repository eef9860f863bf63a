import { join } from 'node:path';
import { assertNever } from '../../../src/policy/assert-never.ts';
import { BOUNDARIES } from './boundaries.ts';
import { lockLedger } from './lock-ledger.ts';
import type { Scene } from './scene.ts';

/** What was done to the victim. Times are epoch milliseconds. */
export interface Struck {
  readonly how: 'SIGKILL' | 'SIGSTOP' | 'locked';
  readonly struckAt: number;
  readonly backAt: number;
  /** When a worker that had been stopped was woken. */
  readonly wokenAt?: number;
}

/** Strikes the victim while the run stands at its boundary, and brings up what is needed for the run to go on. */
export async function strike(scene: Scene): Promise<Struck> {
  const { victim } = scene.planned;
  switch (victim) {
    case 'worker':
      return strikeWorker(scene);
    case 'server':
      return strikeServer(scene);
    case 'ledger':
      return strikeLedger(scene);
    case 'worker-stopped':
      return stopWorker(scene);
    default:
      return assertNever(victim);
  }
}

async function strikeWorker(scene: Scene): Promise<Struck> {
  const { worker, held } = scene;
  const struckAt = Date.now();
  const signal = await worker.kill();
  if (signal !== 'SIGKILL') throw new Error(`The worker died of ${signal} before it was killed.`);
  held?.release();
  await scene.startSuccessor();
  return { how: 'SIGKILL', struckAt, backAt: Date.now() };
}

async function strikeServer(scene: Scene): Promise<Struck> {
  const struckAt = await scene.stage.group.strikeServer(scene.planned.id);
  goOn(scene);
  return { how: 'SIGKILL', struckAt, backAt: Date.now() };
}

/** Longer than a call waits for a lock; at b10a also longer than the outcome is tried to be written. */
const lockedMs = ({ planned }: Scene): number => (planned.boundary === 'b10a' ? 10_000 : 6_000);

async function strikeLedger(scene: Scene): Promise<Struck> {
  const lock = await lockLedger(join(scene.dataDir, 'ledger.db'));
  const struckAt = Date.now();
  goOn(scene);
  await new Promise((resolve) => setTimeout(resolve, lockedMs(scene)));
  await lock.release();
  return { how: 'locked', struckAt, backAt: Date.now() };
}

async function stopWorker(scene: Scene): Promise<Struck> {
  const { worker, held } = scene;
  const struckAt = Date.now();
  worker.freeze();
  held?.release();
  await scene.startSuccessor();
  return { how: 'SIGSTOP', struckAt, backAt: Date.now() };
}

/** Lets the run go on from where it stands. */
export function goOn({ planned: { boundary }, worker, held }: Scene): void {
  if (boundary === 'b14') worker.wake();
  held?.release();
  if (BOUNDARIES[boundary].heldBy === 'worker') worker.go(boundary);
}
