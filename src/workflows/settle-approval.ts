import { condition } from '@temporalio/workflow';
import type { DecideApproval } from '../contracts/messages.ts';
import type { RunnableCall } from '../contracts/plan.ts';
import type { ApprovalQuestion } from '../contracts/question.ts';
import type { CallProgress } from '../contracts/run.ts';
import { acceptApproval, describeApproval } from '../policy/accept-approval.ts';
import { askedAgain } from '../policy/make-question.ts';
import { afterDenial, afterNoAnswer } from '../policy/next-progress.ts';
import type { Leave } from '../policy/weigh-leave.ts';
import { momentOf } from './attempt-call.ts';
import { nameOfMessage } from '../policy/name-of-message.ts';
import { insist, isUnion } from './insist.ts';
import { activities, untilItHolds } from './proxies.ts';
import type { Call } from './call.ts';
import type { Run } from './run.ts';
import { refuseRest } from './refuse-rest.ts';
import { decisionTerms, ledgerView, quorumOf } from './run-facts.ts';
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
  const standing = await lookForLeave(run, { call, plan, question });
  if (standing) return standing;
  for (;;) {
    const leftMs = question.expiresAt - Date.now();
    if (leftMs <= 0) return expire(run, { call, plan, question });
    const message = nextWord();
    if (message) {
      const next = await takeWord(run, { call, plan, question }, message);
      if (next) return next;
      continue;
    }
    if (run.stop !== null) return afterNoAnswer();
    const summary = `${question.tool} · waiting for an approval`;
    await condition(() => nextWord() !== undefined || run.stop !== null, leftMs, { summary });
  }
}

/** A reset forgets what was said; the ledger does not. Undefined while not enough people have spoken. */
async function lookForLeave(run: Run, waiting: Waiting): Promise<CallProgress | undefined> {
  const { plan, question } = waiting;
  const options = { ...untilItHolds, summary: `${plan.tool} · has anybody said so?` };
  const request = { ...run.identity, question, plan, ledger: ledgerView(run), ...quorumOf(run.card) };
  const leave = await insist(run, () => activities.readLeave.executeWithOptions(options, [request]), isUnion);
  return afterLeave(run, waiting, leave, { by: 'the ledger', said: 'It had been decided before.' });
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
    run.forget(nameOfMessage(message));
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
  const request = { ...run.identity, ...about, ledger: ledgerView(run), ...decisionTerms(run) };
  const options = { ...untilItHolds, summary: `${plan.tool} · ${message.verdict} (${message.by})` };
  const decided = await insist(run, () => activities.decideApproval.executeWithOptions(options, [request]), isUnion);
  leaveInbox();
  if (decided.is === 'refused') {
    refuse(decided.why);
    show(run);
    return undefined;
  }
  const heard = { by: message.by, said: describeApproval(message) };
  return afterLeave(run, { call, plan, question }, decided.leave, heard);
}

/** Who settled it, and in which words: for whoever had said otherwise. */
interface Heard {
  readonly by: string;
  readonly said: string;
}

function afterLeave(
  run: Run,
  { call, question }: Waiting,
  leave: Leave,
  { by, said }: Heard,
): CallProgress | undefined {
  if (leave.is === 'asked') {
    const { have, need } = leave;
    if (have.length > 0) run.changeQuestion(question.id, (open) => ({ ...open, have, ...(need > 1 && { need }) }));
    show(run);
    return undefined;
  }
  run.tell({ type: 'question-settled', at: Date.now(), question: question.id, by });
  const agrees = ({ verdict, input }: DecideApproval) => leave.is === 'given' && verdict === 'approve' && !input;
  run.approvals = refuseRest(run, run.approvals, question.id, { said: `Something else stands: ${said}`, agrees });
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
  const next = askedAgain(open, momentOf(run, call, plan));
  const said = `Question ${question.id} expired at ${new Date(question.expiresAt).toISOString()} and is asked again as ${next.id}.`;
  run.approvals = refuseRest(run, run.approvals, question.id, { said, agrees: () => false });
  run.noteExpired(question.id);
  return { is: 'asking', question: next, polls: 0 };
}
