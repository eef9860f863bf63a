import { condition } from '@temporalio/workflow';
import type { DecideApproval } from '../contracts/messages.ts';
import type { RunnableCall } from '../contracts/plan.ts';
import type { ApprovalQuestion } from '../contracts/question.ts';
import type { CallProgress } from '../contracts/run.ts';
import { acceptApproval } from '../policy/accept-approval.ts';
import { askedAgain } from '../policy/make-question.ts';
import { afterDenial, afterNoAnswer } from '../policy/next-progress.ts';
import type { Leave } from '../policy/weigh-leave.ts';
import { momentOf } from './attempt-call.ts';
import { nameOf } from './hear-decision.ts';
import { insist, isUnion } from './insist.ts';
import { activities, untilItHolds } from './proxies.ts';
import type { Call } from './call.ts';
import type { Run } from './run.ts';
import { isSigned, ledgerView } from './run-facts.ts';
import { show } from './show.ts';

/** One call that waits for people. */
export interface Waiting {
  readonly call: Call;
  readonly plan: RunnableCall;
  readonly question: ApprovalQuestion;
}

/**
 * Waits, for days if need be, until people have answered whether a call may be made. What they said is in the ledger, where the
 * call's next attempt finds it. A question that nobody answers in time is asked again under another id.
 */
export async function settleApproval(run: Run, { call, plan, question }: Waiting): Promise<CallProgress> {
  const nextWord = () => run.approvals.find((message) => message.question === question.id);
  for (;;) {
    const message = nextWord();
    if (message) {
      const next = await takeWord(run, { call, plan, question }, message);
      if (next) return next;
      continue;
    }
    if (run.stop !== null) return afterNoAnswer();
    const leftMs = question.expiresAt - Date.now();
    if (leftMs <= 0) return expire(run, { call, plan, question });
    const summary = `${question.tool} · waiting for an approval`;
    await condition(() => nextWord() !== undefined || run.stop !== null, leftMs, { summary });
  }
}

/** Where the call stands after a person's word; undefined while it still waits. */
async function takeWord(
  run: Run,
  { call, plan, question }: Waiting,
  message: DecideApproval,
): Promise<CallProgress | undefined> {
  const refuse = (why: string) => {
    run.refuse(message.id, question.id, why);
    // It used up nothing: put right, it may come again under its id.
    run.forget(nameOf(message));
  };
  const leaveInbox = () => {
    run.approvals = run.approvals.filter((one) => one !== message);
  };
  // One that came before its question has not been held against it yet.
  const acceptance = acceptApproval(message, { questions: [question], heard: [] });
  if (acceptance.is !== 'accepted') {
    leaveInbox();
    if (acceptance.is === 'refused') refuse(acceptance.why);
    show(run);
    return undefined;
  }
  const about = { question, plan, turn: run.turn, callsInTurn: run.calls.length, decision: message };
  const request = { ...run.identity, ...about, ledger: ledgerView(run), signed: isSigned(run) };
  const options = { ...untilItHolds, summary: `${plan.tool} · ${message.verdict} (${message.by})` };
  const decided = await insist(run, () => activities.decideApproval.executeWithOptions(options, [request]), isUnion);
  leaveInbox();
  if (decided.is === 'refused') {
    refuse(decided.why);
    show(run);
    return undefined;
  }
  return afterWord(run, { call, plan, question }, decided.leave, message);
}

function afterWord(run: Run, { call, question }: Waiting, leave: Leave, { by }: DecideApproval) {
  if (leave.is === 'asked') {
    run.changeQuestion(question.id, (open) => ({ ...open, have: leave.have }));
    show(run);
    return undefined;
  }
  run.tell({ type: 'question-settled', at: Date.now(), question: question.id, by });
  if (leave.is === 'denied') return afterDenial(leave.decision);
  // Its time begins now: waiting for people uses up none of it.
  call.giveUpAt = null;
  return { is: 'due' } as const;
}

function expire(run: Run, { call, plan, question }: Waiting): CallProgress {
  run.tell({ type: 'question-expired', at: Date.now(), question: question.id, call: question.call });
  const { progress } = call;
  // As it stands by now: the first of two may have agreed since it was asked.
  const open = progress.is === 'asking' && progress.question.kind === 'approval' ? progress.question : question;
  return { is: 'asking', question: askedAgain(open, momentOf(run, call, plan)), polls: 0 };
}
