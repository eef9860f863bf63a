import { condition, sleep } from '@temporalio/workflow';
import type { RunnableCall } from '../contracts/plan.ts';
import type { Question } from '../contracts/question.ts';
import type { CallProgress } from '../contracts/run.ts';
import { assertNever } from '../policy/assert-never.ts';
import { afterDecision, afterGivingUp, goOnPending } from '../policy/next-progress.ts';
import { abortRun } from './abort-run.ts';
import { attemptCall, effectOfCall, momentOf } from './attempt-call.ts';
import { endView, startView, updateView } from './call-views.ts';
import { inquire } from './inquire.ts';
import { keepPending } from './keep-pending.ts';
import { raiseQuestion } from './raise-question.ts';
import type { Call, Run } from './run.ts';
import { settleQuestion } from './settle-question.ts';
import { show } from './show.ts';
import { toolOf } from './tool-of.ts';

/** Takes one call from where it stands to its answer. Every step is in `call.progress`, so it can be carried anywhere. */
export async function driveCall(run: Run, call: Call): Promise<void> {
  const { plan } = call;
  if (plan.is === 'answered') {
    call.progress = { is: 'closed', reply: plan.reply };
    return;
  }
  if (call.progress.is === 'closed') return;
  const { tool, key } = plan;
  startView(run, {
    call: plan.call,
    turn: run.turn,
    kind: 'tool',
    name: tool,
    ...(plan.named && { intent: key.intent }),
  });
  if (call.progress.is === 'due') call.progress = await passLock(run, plan);
  while (call.progress.is !== 'closed') {
    call.progress = await nextProgress(run, call, plan);
    const { is } = call.progress;
    updateView(run, plan.call, is === 'sleeping' ? { state: is, why: call.progress.why } : { state: is });
    show(run);
  }
  const { reply } = call.progress;
  endView(run, plan, { state: reply.status });
  run.tell({ type: 'call-answered', at: Date.now(), call: plan.call, tool, reply });
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

async function answerQuestion(run: Run, call: Call, plan: RunnableCall): Promise<CallProgress> {
  const { progress } = call;
  if (progress.is !== 'asking') return progress;
  const { question } = progress;
  if (progress.polls === 0) {
    updateView(run, plan.call, { question: question.id, state: 'outcome unknown' });
    show(run);
    await raiseQuestion(run, question);
  }
  if (toolOf(run, plan.tool).onUnknown === 'tell-model') {
    keepPending(run, question);
    return goOnPending(question);
  }
  const answer = await settleQuestion(run, question, progress.polls, (polls) => {
    if (call.progress.is === 'asking') call.progress = { ...call.progress, polls };
  });
  if (answer.is === 'news') return answer.progress;
  if (answer.is === 'left-open') return leaveOpen(run, question);
  if (answer.decision.verdict === 'abort') abortRun(run, question, answer.decision);
  // A person's order begins a new generation, with all its time.
  call.giveUpAt = null;
  return afterDecision(answer.decision);
}

function leaveOpen(run: Run, question: Question): CallProgress {
  run.leftOpen = [...run.leftOpen, question];
  return goOnPending(question);
}

/**
 * A pending outcome locks its intent: the same action waits until it is settled and then takes what the ledger has. Another
 * action of the same unflagged tool is not begun while one is in doubt.
 */
async function passLock(run: Run, plan: RunnableCall): Promise<CallProgress> {
  const isSameKey = ({ key }: { key: RunnableCall['key'] }) =>
    key.intent === plan.key.intent && key.scope === plan.key.scope;
  await condition(() => !run.pending.some(isSameKey) || run.stop !== null);
  const doubt = plan.effect === 'unflagged' ? run.pending.find(({ tool }) => tool === plan.tool) : undefined;
  if (!doubt || isSameKey(doubt)) return { is: 'due' };
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
