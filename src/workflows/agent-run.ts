import { CancellationScope, continueAsNew } from '@temporalio/workflow';
import type { RunEnd, RunInput, RunResult } from '../contracts/run.ts';
import { askModel } from './ask-model.ts';
import { endOfAnswer } from '../policy/end-of-answer.ts';
import { closeRun, endBefore } from './close-run.ts';
import { answerOf, driveCalls } from './drive-calls.ts';
import { hearMessages } from './hear-messages.ts';
import { keepAlerting } from './keep-alerting.ts';
import { keepPending } from './keep-pending.ts';
import { learnCard } from './learn-card.ts';
import { newCall } from './call.ts';
import { Run } from './run.ts';
import { show } from './show.ts';

/**
 * One run of an agent: turns of a model and the calls it asks for, until it has its answer. Every effect is an activity,
 * every wait is durable, and a call that may have acted is never made again on a guess.
 */
export async function agentRun(input: RunInput): Promise<RunResult> {
  const run = new Run(input);
  hearMessages(run);
  // A cancellation from outside is a wish to stop, and is answered honestly; it does not tear the loop apart.
  return CancellationScope.nonCancellable(() => carryOut(run));
}

async function carryOut(run: Run): Promise<RunResult> {
  await learnCard(run);
  run.questions.forEach((question) => {
    keepAlerting(run, question);
  });
  run.pending.forEach((question) => {
    keepPending(run, question);
  });
  show(run);
  const end = run.end ?? (await takeTurns(run));
  const result = end === 'long' ? end : await closeRun(run, end);
  return result === 'long' ? continueRun(run) : result;
}

/** Turn after turn, until there is an end; `long`: the history should end first. */
async function takeTurns(run: Run): Promise<RunEnd | 'long'> {
  for (;;) {
    if ((await driveCalls(run)) === 'long') return 'long';
    const end = endBefore(run);
    if (end) return end;
    run.turn += 1;
    const reply = await askModel(run, run.calls.map(answerOf));
    if (reply.is === 'stopped') continue;
    if (reply.is === 'failed') return { status: 'failed', text: reply.message };
    run.head = reply.plan.head;
    run.calls = reply.plan.calls.map(newCall);
    const { stuck, text } = reply.plan;
    if (stuck !== undefined) return { status: 'partial', text: stuck };
    if (text !== null) return endOfAnswer(text, reply.plan);
    show(run);
  }
}

function continueRun(run: Run): Promise<never> {
  return continueAsNew<typeof agentRun>({ ...run.input, carried: run.carry() });
}
