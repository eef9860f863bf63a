import type { ToolCard } from '../contracts/agent-card.ts';
import type { Quorum } from '../contracts/approval.ts';
import type { AskedLeave, Doubt } from '../contracts/envelope.ts';
import type { Failure } from '../contracts/failure.ts';
import type { RunnableCall } from '../contracts/plan.ts';
import type { ApprovalQuestion, OutcomeQuestion } from '../contracts/question.ts';
import { needOf } from './need-of.ts';
import { approvalId, questionId } from './stable-id.ts';

/** A call as the decisions about it need it. `now` is workflow time, epoch milliseconds. */
export interface CallMoment {
  /** The quorum that the run began with. */
  readonly quorum?: Quorum | undefined;
  readonly run: string;
  readonly execution: string;
  readonly plan: RunnableCall;
  readonly tool: ToolCard;
  readonly schedule: number;
  readonly now: number;
}

/** Did it happen? */
export function outcomeQuestion(
  moment: CallMoment,
  failure: Failure,
  { generation, sentAt, sendBy, claim, landsWithinMs = 0 }: Doubt,
): OutcomeQuestion {
  const { plan, tool, now } = moment;
  return {
    ...aboutCall(moment),
    id: questionId(plan.key, generation),
    kind: 'outcome',
    sentAt,
    // What was claimed holds, also where another version of the tool asks.
    horizon: Math.max(now, sendBy) + Math.max(tool.landsWithinMs, landsWithinMs),
    ...(claim !== undefined && { claim }),
    known: knownFacts(failure, tool),
    ...needed(moment),
    failure,
  };
}

/** May it be done? `round`: how often the question has expired unanswered. */
export function approvalQuestion(moment: CallMoment, asked: AskedLeave, round: number): ApprovalQuestion {
  const { plan, execution, now } = moment;
  const { because, need, have, expiresMs, generation } = asked;
  return {
    ...aboutCall(moment),
    id: approvalId({ execution, call: plan.call, digest: plan.digest, generation, round }),
    kind: 'approval',
    because,
    expiresAt: now + expiresMs,
    round,
    generation,
    known: round === 0 ? [] : [`Asked ${round + 1} times: nobody answered in time before.`],
    ...(need > 1 && { need, have }),
  };
}

/** The same question once more, its time being over. Words of those who have answered still count. */
export function askedAgain(question: ApprovalQuestion, moment: CallMoment): ApprovalQuestion {
  const { because, need = 1, have = [], expiresAt, since, round, generation } = question;
  return approvalQuestion(moment, { because, need, have, expiresMs: expiresAt - since, generation }, round + 1);
}

function needed({ plan, quorum }: CallMoment): { readonly need?: number } {
  const need = needOf(plan.amount, quorum);
  return need > 1 ? { need } : {};
}

function aboutCall({ run, plan, now }: CallMoment) {
  const { call, tool, key, input, digest, amount } = plan;
  const about = { run, call, tool, key, input, digest: digest.slice(0, 16), since: now };
  return amount === undefined ? about : { ...about, amount };
}

function knownFacts({ kind, message }: Failure, { confirms }: ToolCard): readonly string[] {
  return [
    message,
    ...(kind === 'thrown' ? [WAYS_OUT] : []),
    'Ledger: claimed, no outcome recorded.',
    confirms ? 'Look-up: not asked yet.' : 'Look-up: none defined.',
  ];
}

/** Told where an author can spare people the next such question. */
const WAYS_OUT =
  "Nobody has said what this error means. A flag on the tool, throw new ToolRefused(…), or thrown: 'refused' would.";
