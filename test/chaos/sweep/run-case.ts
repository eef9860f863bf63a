import { setTimeout as sleep } from 'node:timers/promises';
import type { LedgerRecord } from '../../../src/contracts/ledger.ts';
import { exportLedger, exportRest, writeOutcome, type Outcome } from './evidence.ts';
import { reach } from './reach.ts';
import { openScene, type Scene, type Stage } from './scene.ts';
import { goOn, strike, type Struck } from './strike.ts';
import type { SweepCase } from './sweep-case.ts';
import { untilEnded } from './until-ended.ts';
import { within } from './within.ts';

const NEVER = new AbortController().signal;
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
    await within(
      ENDS_WITHIN_MS,
      `${planned.id} ends`,
      Promise.all([untilEnded(handle, NEVER), wakeEarly(scene, outcome)]),
    );
    outcome.endedAt = Date.now();
    await wakeAtLast(scene, outcome);
  } finally {
    isOver = true;
    await attending;
  }
}

interface Waking {
  wokenAt?: Struck['wokenAt'];
}

const isStopped = ({ planned }: Scene): boolean => planned.victim === 'worker-stopped';

/** A worker that was given up before it claimed is woken just then: its claim must be refused. */
async function wakeEarly(scene: Scene, outcome: Waking): Promise<void> {
  if (!isStopped(scene) || scene.planned.boundary !== 'b7') return;
  const isTold = ({ is }: LedgerRecord) => is === 'withdrawn' || is === 'done';
  while (!(await scene.client.ledger({})).some(isTold)) await sleep(50);
  wake(scene, outcome);
}

/** Everything has been decided without it: from here on it begins no request. */
async function wakeAtLast(scene: Scene, outcome: Waking): Promise<void> {
  if (!isStopped(scene)) return;
  if (outcome.wokenAt === undefined) wake(scene, outcome);
  await sleep(WATCHED_MS);
}

function wake(scene: Scene, outcome: Waking): void {
  outcome.wokenAt = Date.now();
  scene.worker.wake();
  goOn(scene);
}
