import { CancellationScope, continueAsNew } from '@temporalio/workflow';
import type { RunInput, RunResult } from '../contracts/run.ts';
import { askModel } from './ask-model.ts';
import { closeRun, endBefore } from './close-run.ts';
import { answerOf, driveCalls } from './drive-calls.ts';
import { hearMessages } from './hear-messages.ts';
import { keepPending } from './keep-pending.ts';
import { learnCard } from './learn-card.ts';
import { Call, Run } from './run.ts';
import { show } from './show.ts';

/**
 * One run of an agent: turns of a model and the calls it asks for, until it has its answer. Every effect is an activity,
 * every wait is durable, and a call that may have acted is never made again on a guess.
 */
export async function agentRun(input: RunInput): Promise<RunResult> {
  const run = new Run(input);
  hearMessages(run);
  // A cancellation from outside is a wish to stop, and is answered honestly; it does not tear the loop apart.
  return CancellationScope.nonCancellable(() => takeTurns(run));
}

async function takeTurns(run: Run): Promise<RunResult> {
  await learnCard(run);
  run.pending.forEach((question) => {
    keepPending(run, question);
  });
  show(run);
  for (;;) {
    if ((await driveCalls(run)) === 'long') return continueRun(run);
    const end = endBefore(run);
    if (end) return closeRun(run, end);
    run.turn += 1;
    const reply = await askModel(run, run.calls.map(answerOf));
    if (reply.is === 'stopped') continue;
    if (reply.is === 'failed') return closeRun(run, { status: 'failed', text: reply.message });
    run.head = reply.plan.head;
    run.calls = reply.plan.calls.map((plan) => new Call({ plan, schedule: 0, progress: { is: 'due' } }));
    if (reply.plan.text !== null) return closeRun(run, { status: 'completed', text: reply.plan.text });
    show(run);
  }
}

function continueRun(run: Run): Promise<never> {
  return continueAsNew<typeof agentRun>({ ...run.input, carried: run.carry() });
}
