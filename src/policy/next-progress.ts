import type { Decision } from '../contracts/decision.ts';
import type { CallVerdict, Doubt } from '../contracts/envelope.ts';
import type { Failure } from '../contracts/failure.ts';
import type { ModelReply } from '../contracts/model-reply.ts';
import type { DecideApproval } from '../contracts/messages.ts';
import type { OutcomeQuestion } from '../contracts/question.ts';
import type { CallProgress } from '../contracts/run.ts';
import type { Standing } from './ask-key.ts';
import type { KeyState, OpenClaim } from './fold-key.ts';
import { assertNever } from './assert-never.ts';
import { judge } from './judge.ts';
import { heldWaitMs } from './ledger-times.ts';
import { approvalQuestion, outcomeQuestion, type CallMoment } from './make-question.ts';
import { cancelledReply, deniedReply, pendingReply, replyForFailure, unansweredReply } from './reply-for.ts';
import { recordedResult } from './settle-key.ts';

/** Where a call stands after its activity spoke. */
export function afterVerdict(verdict: CallVerdict, moment: CallMoment): CallProgress {
  switch (verdict.is) {
    case 'done':
      return closedDone(verdict);
    case 'told':
      return { is: 'closed', reply: verdict.reply };
    case 'unknown':
      return asking(moment, verdict.failure, verdict);
    case 'again':
      return { is: 'sleeping', until: moment.now + verdict.waitMs, why: verdict.why };
    case 'wait':
      return sleepingOnKey(moment, verdict.why);
    case 'ask':
      return { is: 'asking', question: approvalQuestion(moment, verdict, 0), polls: 0 };
    case 'withdrawn':
    case 'edited':
      return { is: 'due' };
    case 'foreign-ledger':
      return sleepingOnKey(moment, verdict.message);
    default:
      return assertNever(verdict);
  }
}

/** Where a call stands after the ledger was asked, its activity having said nothing we believe. */
export function afterStanding(standing: Standing, moment: CallMoment): CallProgress {
  switch (standing.is) {
    case 'done':
      return closedDone({ result: recordedResult(standing.done) });
    case 'refused':
      return { is: 'closed', reply: { status: 'blocked', message: standing.message, retryable: false } };
    case 'never-began':
    case 'again':
    case 'repeatable':
      return {
        is: 'sleeping',
        until: moment.now + heldWaitMs(Math.min(6, moment.schedule - 1)),
        why: 'the last attempt did nothing; trying again',
      };
    case 'wait':
      return sleepingOnKey(moment, 'its worker may still be writing what became of it');
    case 'unknown':
      return asking(moment, standing.failure, doubtOf(standing.open));
    default:
      return assertNever(standing);
  }
}

/** How often a reading call that nobody picked up is put on the queue again. */
const UNBEGUN_SCHEDULES = 3;

/**
 * Where a reading call stands whose activity said nothing: its worker was lost on every attempt Temporal allowed, or, when it
 * may not have begun, nobody has picked it up yet.
 */
export function afterLostReader(mayNotHaveBegun: boolean, { plan, schedule, now }: CallMoment): CallProgress {
  if (mayNotHaveBegun && schedule < UNBEGUN_SCHEDULES) {
    return { is: 'sleeping', until: now + heldWaitMs(schedule), why: 'no worker has picked it up' };
  }
  const message = `${plan.tool} gave no answer: its worker was lost, or stood still, on every attempt.`;
  return { is: 'closed', reply: { status: 'unavailable', message, retryable: true } };
}

/** Where a call stands that the run gives up: what may have acted is a question, whatever anybody still waits for. */
export function afterGivingUp(standing: Standing, moment: CallMoment): CallProgress {
  if (standing.is === 'wait') return asking(moment, GIVEN_UP, doubtOf(standing.open));
  if (standing.is === 'repeatable') {
    const verdict = judge({ failure: GIVEN_UP, effect: moment.tool.effect, worst: 'maybe-sent', spent: true });
    if (verdict.is === 'tell-model') return { is: 'closed', reply: replyForFailure(GIVEN_UP, verdict, moment.now) };
    return asking(moment, GIVEN_UP, doubtOf(standing.open));
  }
  if (standing.is === 'never-began' || standing.is === 'again') return { is: 'closed', reply: cancelledReply() };
  return afterStanding(standing, moment);
}

const GIVEN_UP: Failure = Object.freeze({
  kind: 'cancelled',
  delivery: 'maybe-sent',
  message: 'The run was stopped while the call may have been under way.',
});

const doubtOf = ({ claim }: OpenClaim): Doubt => {
  const { generation, at, sendBy, landsWithinMs } = claim;
  return { generation, sentAt: at, sendBy, landsWithinMs, claim: claim.claim };
};

/** Where an asking call stands after news of its key; undefined while there is none. */
export function afterNews(state: KeyState, question: string): CallProgress | undefined {
  switch (state.is) {
    case 'open':
      return undefined;
    case 'done':
      return closedDone({ result: recordedResult(state) });
    case 'closed':
      return afterDecision(state.record.decision);
    case 'failed':
      return { is: 'closed', reply: { status: 'failed', message: state.record.message, retryable: false } };
    case 'free': {
      // An order to retry is for the call it was about: another run that waited only hears that it did not happen.
      const decision = state.settled?.decision;
      return decision?.question === question ? afterDecision(decision) : didNotHappen();
    }
    default:
      return assertNever(state);
  }
}

function didNotHappen(): CallProgress {
  return {
    is: 'closed',
    reply: { status: 'failed', message: 'It did not happen; nothing was changed.', retryable: true },
  };
}

/** Where an asking call stands after a person's decision has taken its place in the ledger. */
export function afterDecision(decision: Decision): CallProgress {
  const { verdict, by, reason, result, then } = decision;
  switch (verdict) {
    case 'happened': {
      const message = `It had happened: confirmed by ${by}.`;
      return { is: 'closed', reply: { status: 'ok', message }, result: { is: 'inline', value: result ?? null } };
    }
    case 'did-not-happen':
      if (then === 'retry') return { is: 'due' };
      return {
        is: 'closed',
        reply: { status: 'failed', message: `It did not happen (${by}: ${reason}).`, retryable: true },
      };
    case 'reversed':
      return {
        is: 'closed',
        reply: {
          status: 'failed',
          message: `It had happened and was reversed by ${by}: ${reason}. It is closed.`,
          retryable: false,
        },
      };
    case 'abort':
      return {
        is: 'closed',
        reply: { status: 'blocked', message: `The run was aborted by ${by}: ${reason}.`, retryable: false },
      };
    default:
      return assertNever(verdict);
  }
}

/** Where a call stands that somebody will not have made, or that nobody had answered about when the run was stopped. */
export const afterDenial = (decision: DecideApproval): CallProgress => closedWith(deniedReply(decision));
export const afterNoAnswer = (): CallProgress => closedWith(unansweredReply());

function closedWith(reply: ModelReply): CallProgress {
  return { is: 'closed', reply };
}

/** A tool whose author lets the model go on: the call is answered with `pending`, its question stays open. */
export function goOnPending(question: OutcomeQuestion): CallProgress {
  return { is: 'closed', reply: pendingReply(question.id) };
}

function closedDone({ result, note }: Pick<Extract<CallVerdict, { is: 'done' }>, 'result' | 'note'>): CallProgress {
  return { is: 'closed', reply: { status: 'ok', ...(note && { message: note }) }, result };
}

function sleepingOnKey({ schedule, now }: CallMoment, why: string): CallProgress {
  return { is: 'sleeping', until: now + heldWaitMs(Math.min(6, schedule - 1)), why };
}

function asking(moment: CallMoment, failure: Failure, doubt: Doubt): CallProgress {
  return { is: 'asking', question: outcomeQuestion(moment, failure, doubt), polls: 0 };
}
