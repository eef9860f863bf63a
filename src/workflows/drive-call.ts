import { condition, patched, sleep } from '@temporalio/workflow';
import type { RunnableCall } from '../contracts/plan.ts';
import type { CallProgress } from '../contracts/run.ts';
import { assertNever } from '../policy/assert-never.ts';
import { afterGivingUp } from '../policy/next-progress.ts';
import { editedReply } from '../policy/reply-for.ts';
import { answerQuestion } from './answer-question.ts';
import { attemptCall, effectOfCall, momentOf } from './attempt-call.ts';
import { endView, startView, updateView } from './call-views.ts';
import { checkOutcome } from './check-outcome.ts';
import { inquire } from './inquire.ts';
import type { Call } from './call.ts';
import type { Run } from './run.ts';
import { show } from './show.ts';

/** Takes one call from where it stands to its answer. Every step is in `call.progress`, so it can be carried anywhere. */
export async function driveCall(run: Run, call: Call): Promise<void> {
  const { plan } = call;
  if (call.progress.is === 'closed') return;
  switch (plan.is) {
    case 'answered':
      call.progress = { is: 'closed', reply: plan.reply };
      return;
    case 'check':
      call.progress = await checkOutcome(run, plan);
      return;
    case 'runnable':
      return driveRunnable(run, call, plan);
    default:
      return assertNever(plan);
  }
}

async function driveRunnable(run: Run, call: Call, planned: RunnableCall): Promise<void> {
  startCallView(run, planned);
  if (call.progress.is === 'due') call.progress = await passLock(run, planned);
  let plan = planned;
  while (call.progress.is !== 'closed') {
    call.progress = await nextProgress(run, call, plan);
    const { is } = call.progress;
    updateView(run, plan.call, is === 'sleeping' ? { state: is, why: call.progress.why } : { state: is });
    if (call.plan.is === 'runnable' && call.plan !== plan) {
      plan = call.plan;
      startCallView(run, plan);
    }
    show(run);
  }
  const reply = editedReply(call.progress.reply, plan);
  call.progress = { ...call.progress, reply };
  endView(run, plan, { state: reply.status });
  const { result } = call.progress;
  // As the model reads it. What is stored by reference is too large for an event.
  const told = result?.is === 'inline' ? { ...reply, data: result.value } : reply;
  run.tell({ type: 'call-answered', at: Date.now(), call: plan.call, tool: plan.tool, reply: told });
}

function startCallView(run: Run, { call, tool, named, key }: RunnableCall): void {
  startView(run, { call, turn: run.turn, kind: 'tool', name: tool, ...(named && { intent: key.intent }) });
}

async function nextProgress(run: Run, call: Call, plan: RunnableCall): Promise<CallProgress> {
  const { progress } = call;
  if (run.stop === 'now' && (progress.is === 'due' || progress.is === 'sleeping')) return giveUp(run, call, plan);
  switch (progress.is) {
    case 'due':
    case 'in-flight':
      return attemptCall(run, call, plan);
    case 'sleeping':
      await Promise.race([sleepUntil(progress.until, progress.why), run.stoppedNow]);
      return { is: 'due' };
    case 'asking':
      return answerQuestion(run, call, plan);
    case 'closed':
      return progress;
    default:
      return assertNever(progress);
  }
}

/**
 * A pending outcome locks its intent: the same action waits until it is settled and then takes what the ledger has. What
 * another action of the same tool may do meanwhile, `onRepeat` says.
 */
async function passLock(run: Run, plan: RunnableCall): Promise<CallProgress> {
  const isSameKey = ({ key }: { key: RunnableCall['key'] }) =>
    key.intent === plan.key.intent && key.scope === plan.key.scope;
  await condition(() => !run.pending.some(isSameKey) || run.stop !== null);
  const doubt = plan.effect === 'unflagged' ? run.pending.find(({ tool }) => tool === plan.tool) : undefined;
  // Runs of version 0.1 were told `blocked` here, before a tool could say.
  if (!doubt || isSameKey(doubt) || patched('on-repeat')) return { is: 'due' };
  const message = `An earlier ${plan.tool} (${doubt.key.intent}) may or may not have happened. Nothing new is begun until it is settled.`;
  return { is: 'closed', reply: { status: 'blocked', message, handle: doubt.id, retryable: true } };
}

/** The run will not wait: what was begun is asked of the ledger, and never called undone on a guess. */
async function giveUp(run: Run, call: Call, plan: RunnableCall): Promise<CallProgress> {
  if (call.schedule > 0 && effectOfCall(run, plan) !== 'read-only') {
    return afterGivingUp(await inquire(run, call, plan), momentOf(run, call, plan));
  }
  const message = 'The run was stopped before this call was made.';
  return { is: 'closed', reply: { status: 'failed', message, retryable: false } };
}

async function sleepUntil(until: number, summary: string): Promise<void> {
  await sleep(Math.max(1, until - Date.now()), { summary });
}
