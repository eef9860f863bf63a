import { setTimeout as sleep } from 'node:timers/promises';
import type { LedgerRecord } from '../../../src/contracts/ledger.ts';
import { exportLedger, exportRest, writeOutcome, type Outcome } from './evidence.ts';
import { reach } from './reach.ts';
import { openScene, type Scene, type Stage } from './scene.ts';
import { goOn, strike, type Struck } from './strike.ts';
import type { SweepCase } from './sweep-case.ts';
import { within } from './within.ts';

const ENDS_WITHIN_MS = 120_000;
/** How long a woken worker is watched for a request that it must not send. */
const WATCHED_MS = 2_500;

/** Plays one case: to the boundary, the strike, to the end of the run; and keeps the evidence. Never throws. */
export async function runCase(stage: Stage, planned: SweepCase): Promise<Outcome> {
  const outcome: { -readonly [K in keyof Outcome]: Outcome[K] } = { id: planned.id };
  let scene: Scene | undefined;
  try {
    scene = await openScene(stage, planned);
    await stage.group.ready(planned.id);
    await play(scene, outcome);
  } catch (error) {
    outcome.trouble = (error as Error).message;
  } finally {
    stage.group.leave(planned.id);
    const acceptedAt = scene?.acceptedAt();
    if (acceptedAt) outcome.acceptedAt = acceptedAt;
    if (scene) await exportRest(scene).catch((error: unknown) => (outcome.trouble ??= String(error)));
    await scene?.close();
    await writeOutcome(stage.folder, outcome);
  }
  return outcome;
}

async function play(scene: Scene, outcome: { -readonly [K in keyof Outcome]: Outcome[K] }): Promise<void> {
  const { person, handle, planned } = scene;
  await reach(scene);
  outcome.reachedAt = Date.now();
  await exportLedger(scene, 'ledger-1.jsonl');
  let isOver = false;
  const attending = person.attend('client', () => isOver);
  try {
    const struck = await strike(scene);
    Object.assign(outcome, struck);
    const wakes =
      planned.victim === 'worker-stopped' && planned.boundary === 'b7' ? wakeWhenWithdrawn(scene, outcome) : undefined;
    await within(ENDS_WITHIN_MS, `${planned.id} ends`, ended(handle));
    await wakes;
    outcome.endedAt = Date.now();
    if (planned.victim === 'worker-stopped' && planned.boundary !== 'b7') await wakeAtLast(scene, outcome);
  } finally {
    isOver = true;
    await attending;
  }
}

async function ended(handle: Scene['handle']): Promise<void> {
  for (;;) {
    const status = await handle.describe().then(
      (run) => run.status.name,
      () => 'RUNNING',
    );
    if (status !== 'RUNNING') return;
    await sleep(400);
  }
}

interface Waking {
  wokenAt?: Struck['wokenAt'];
}

/** A worker that was given up before it claimed wakes just then: its claim must be refused. */
async function wakeWhenWithdrawn(scene: Scene, outcome: Waking): Promise<void> {
  const isWithdrawn = ({ is }: LedgerRecord) => is === 'withdrawn';
  while (!(await scene.client.ledger({})).some(isWithdrawn)) await sleep(50);
  outcome.wokenAt = Date.now();
  wake(scene);
}

/** Everything has been decided without it: from here on it begins no request. */
async function wakeAtLast(scene: Scene, outcome: Waking): Promise<void> {
  outcome.wokenAt = Date.now();
  wake(scene);
  await sleep(WATCHED_MS);
}

function wake(scene: Scene): void {
  scene.worker.wake();
  goOn(scene);
}
