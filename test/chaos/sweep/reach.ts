import { setTimeout as sleep } from 'node:timers/promises';
import type { Question } from '../../../src/contracts/question.ts';
import { assertNever } from '../../../src/policy/assert-never.ts';
import { eventually } from '../../support/eventually.ts';
import { BOUNDARIES } from './boundaries.ts';
import type { Scene } from './scene.ts';
import type { Boundary } from './sweep-case.ts';
import { untilEnded } from './until-ended.ts';
import { within } from './within.ts';

const WITHIN_MS = 60_000;

/** Starts the run and brings it to its boundary, where it stays. @throws when it does not get there. */
export async function reach(scene: Scene): Promise<void> {
  const passed = new AbortController();
  const missed = untilEnded(scene.handle, passed.signal).then(() => {
    if (!passed.signal.aborted) throw new Error(`Run ${scene.planned.id} ended before it reached its boundary.`);
  });
  try {
    await within(WITHIN_MS, `${scene.planned.id} reaches its boundary`, Promise.race([arrive(scene), missed]));
  } finally {
    passed.abort();
  }
}

async function arrive(scene: Scene): Promise<void> {
  const { boundary } = scene.planned;
  switch (boundary) {
    case 'b1':
      // Held before it asks for work: the run is accepted and nobody takes it up.
      await stopsAt(scene, 'b1');
      return scene.start();
    case 'b6':
      await Promise.all([stopsAt(scene, 'b6'), scene.start()]);
      return toolIsScheduled(scene);
    case 'b8p':
    case 'b13p':
      return decideUntil(scene, stops(scene), scene.start);
    case 'b12':
      await scene.start();
      await loseSight(scene);
      return;
    case 'b12p':
      await scene.start();
      await scene.person.firstQuestion();
      return;
    case 'b13':
      return decideUntil(scene, stops(scene), async () => {
        await scene.start();
        await loseSight(scene);
      });
    case 'b14':
      await scene.start();
      return signalWhileFrozen(scene, await loseSight(scene));
    case 'b15':
      return continueAsNew(scene, async () => {
        await Promise.all([stopsAt(scene, 'b10'), scene.start()]);
        await growHistory(scene);
        scene.worker.go('b10');
      });
    case 'b15q':
      return continueAsNew(scene, async () => {
        await scene.start();
        await loseSight(scene);
        await growHistory(scene);
      });
    case 'b2':
    case 'b3':
    case 'b4':
    case 'b5':
    case 'b7':
    case 'b7b':
    case 'b7c':
    case 'b8':
    case 'b8x':
    case 'b9':
    case 'b10':
    case 'b10a':
    case 'b11':
    case 'b16':
      await Promise.all([stops(scene), scene.start()]);
      return;
    default:
      return assertNever(boundary);
  }
}

async function stops(scene: Scene): Promise<void> {
  const { boundary } = scene.planned;
  await (BOUNDARIES[boundary].heldBy === 'proxy' ? scene.held?.reached : stopsAt(scene, boundary));
}

function stopsAt({ worker }: Scene, boundary: Boundary): Promise<void> {
  return new Promise((resolve) => {
    worker.onReached((reached) => {
      if (reached === boundary) resolve();
    });
  });
}

async function toolIsScheduled({ handle }: Scene): Promise<void> {
  await eventually('a scheduled tool', async () => {
    const { raw } = await handle.describe();
    return raw.pendingActivities?.some(
      ({ activityType, lastStartedTime }) => activityType?.name === 'callTool' && !lastStartedTime,
    );
  });
}

/** The tool's time-out makes a question; only then does the held request land, or is it dropped. */
async function loseSight({ person, held }: Scene): Promise<Question> {
  const question = await person.firstQuestion();
  held?.silence();
  // What can be seen now counts only later; saying it now must change nothing.
  await person.answerAtOnce(question);
  held?.release();
  return question;
}

/** The person answers by bare updates, which do not wait for what comes of them, until the run stands still. */
async function decideUntil({ person }: Scene, stopped: Promise<void>, begin: () => Promise<void>): Promise<void> {
  await begin();
  let isThere = false;
  const attending = person.attend('update', () => isThere);
  await stopped;
  isThere = true;
  await attending;
}

/** The handler cannot run while its process stands still. */
async function signalWhileFrozen({ person, worker, handle }: Scene, question: Question): Promise<void> {
  const horizon = question.kind === 'outcome' ? question.horizon : 0;
  await sleep(Math.max(0, horizon - Date.now()) + 200);
  worker.freeze();
  await person.signal(question);
  await eventually('the signal in history', async () => {
    const { events } = await handle.fetchHistory();
    return events?.some((event) => event.workflowExecutionSignaledEventAttributes?.signalName === 'resolveOutcome');
  });
}

const HALF_OF_IT = 1_600_000;

/** From 3 MB on a run continues as new. Late news of calls that it does not know changes nothing else. */
async function growHistory({ handle }: Scene): Promise<void> {
  for (const call of ['one', 'two']) {
    await handle.signal('lateOutcome', { call: call.padEnd(HALF_OF_IT, '.'), claim: '' });
  }
}

/** Lets the worker ask for work as long as the run is in its first execution. */
async function continueAsNew({ planned, worker, handle }: Scene, begin: () => Promise<void>): Promise<void> {
  const continued = new Promise<void>((resolve) => {
    let first: string | undefined;
    const look = async () => {
      const current = await handle.describe().then(
        ({ runId }) => runId,
        () => undefined,
      );
      first ??= current;
      if (current === first) worker.go(planned.boundary, 'and-stay');
      else resolve();
    };
    worker.onReached((reached) => {
      if (reached === planned.boundary) void look();
    });
  });
  await begin();
  await continued;
}
