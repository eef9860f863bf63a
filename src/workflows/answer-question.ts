import type { RunnableCall } from '../contracts/plan.ts';
import type { ApprovalQuestion, OutcomeQuestion } from '../contracts/question.ts';
import type { CallProgress } from '../contracts/run.ts';
import { afterDecision, goOnPending } from '../policy/next-progress.ts';
import { abortRun } from './abort-run.ts';
import { callOff } from './call-off.ts';
import { updateView } from './call-views.ts';
import type { Call } from './call.ts';
import { keepPending } from './keep-pending.ts';
import { raiseQuestion } from './raise-question.ts';
import type { Run } from './run.ts';
import { settleApproval } from './settle-approval.ts';
import { settleQuestion } from './settle-question.ts';
import { show } from './show.ts';
import { toolOf } from './tool-of.ts';

/** Takes a call that asks to where its answer puts it. The question is raised once, and waited for as long as need be. */
export async function answerQuestion(run: Run, call: Call, plan: RunnableCall): Promise<CallProgress> {
  const { progress } = call;
  if (progress.is !== 'asking') return progress;
  const { question, polls } = progress;
  if (polls === 0) {
    const state = question.kind === 'outcome' ? 'outcome unknown' : 'waits for an approval';
    updateView(run, plan.call, { question: question.id, state });
    show(run);
    await raiseQuestion(run, question);
    await callOff(run, question);
  }
  return question.kind === 'outcome'
    ? answerOutcome(run, call, plan)
    : settleApproval(run, { call, plan, question: countAsked(call, question) });
}

/** A question that has been raised is not raised again, wherever the run is carried. */
function countAsked(call: Call, question: ApprovalQuestion): ApprovalQuestion {
  call.progress = { is: 'asking', question, polls: 1 };
  return question;
}

async function answerOutcome(run: Run, call: Call, plan: RunnableCall): Promise<CallProgress> {
  const { progress } = call;
  if (progress.is !== 'asking' || progress.question.kind !== 'outcome') return progress;
  const { question, polls: polled } = progress;
  if (toolOf(run, plan.tool).onUnknown === 'tell-model') {
    keepPending(run, question);
    return goOnPending(question);
  }
  const answer = await settleQuestion(run, question, polled, (polls) => {
    if (call.progress.is === 'asking') call.progress = { ...call.progress, polls };
  });
  if (answer.is === 'news') return answer.progress;
  if (answer.is === 'left-open') return leaveOpen(run, question);
  if (answer.decision.verdict === 'abort') abortRun(run, question, answer.decision);
  // A person's order begins a new generation, with all its time.
  call.giveUpAt = null;
  return afterDecision(answer.decision);
}

function leaveOpen(run: Run, question: OutcomeQuestion): CallProgress {
  run.leftOpen = [...run.leftOpen, question];
  return goOnPending(question);
}
