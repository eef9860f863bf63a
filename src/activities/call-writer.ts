import type { Effect } from '../contracts/effect.ts';
import type { CallVerdict, Envelope } from '../contracts/envelope.ts';
import type { Failure } from '../contracts/failure.ts';
import type { ToolRequest } from '../contracts/requests.ts';
import type { Tool } from '../contracts/tool.ts';
import type { Admission } from '../policy/admit.ts';
import { assertNever } from '../policy/assert-never.ts';
import { foldKey, type ClaimRecord, type OpenClaim } from '../policy/fold-key.ts';
import { RECORD_GRACE_MS } from '../policy/ledger-times.ts';
import { isOwn } from '../policy/own-record.ts';
import { judge } from '../policy/judge.ts';
import { ALREADY_DONE, NOT_APPLIED, replyForFailure } from '../policy/reply-for.ts';
import { recordedResult } from '../policy/settle-key.ts';
import { actOnce } from './act-once.ts';
import { claimAttempt } from './claim-attempt.ts';
import { closedEnvelope } from './closed-envelope.ts';
import { endWithoutLeave } from './end-without-leave.ts';
import type { ActivityPorts } from './ports.ts';
import { finalFailure } from './throw-verdict.ts';

/** One attempt of a tool that changes something: claim, act, record. Without leave from the ledger nothing is sent. */
export async function callWriter(
  ports: ActivityPorts,
  request: ToolRequest,
  tool: Tool,
  effect: Effect,
): Promise<Envelope> {
  const claim = await claimAttempt(ports, request, tool, effect);
  const { admission } = claim;
  switch (admission.is) {
    case 'go':
      return actOnce(ports, { request, tool, effect, claim, admission });
    case 'recorded':
      return recorded(request, admission);
    case 'refused':
      throw told(request, 'ToolFailed', admission.message, {
        status: admission.own ? 'failed' : 'blocked',
        message: `Not carried out: ${admission.message}`,
        retryable: false,
      });
    case 'wait':
      throw end(request, 'KeyHeld', 'Another attempt of this action may still be under way.', {
        is: 'wait',
        why: 'another attempt of this action may still be under way',
      });
    case 'unknown':
      throw unknownOf(request, admission.open);
    case 'spent':
      return endSpent(ports, request, effect, admission);
    case 'repeats':
      // The failure it was asked about is not the one that stands now.
      throw end(request, 'KeyHeld', 'The action has changed while it was asked about.', {
        is: 'again',
        waitMs: 1,
        why: 'the action has changed while it was asked about',
      });
    case 'leave':
      return endWithoutLeave(ports, request, admission.leave, claim.gate);
    case 'withdrawn':
      throw end(request, 'Withdrawn', 'The run had given this schedule up before it began. Nothing was sent.', {
        is: 'withdrawn',
      });
    default:
      return assertNever(admission);
  }
}

function end(request: ToolRequest, type: Parameters<typeof finalFailure>[0], message: string, verdict: CallVerdict) {
  return finalFailure(type, message, closedEnvelope(request, verdict));
}

function told(
  request: ToolRequest,
  type: 'ToolFailed' | 'ToolUnavailable',
  message: string,
  reply: Extract<CallVerdict, { is: 'told' }>['reply'],
) {
  return end(request, type, message, { is: 'told', reply });
}

function recorded(request: ToolRequest, { done, sameInput }: Extract<Admission, { is: 'recorded' }>): Envelope {
  const isSameCall = isOwnClaim(done.claim, request);
  const note = sameInput ? (isSameCall ? undefined : ALREADY_DONE) : NOT_APPLIED;
  const verdict: CallVerdict = { is: 'done', result: recordedResult(done), ...(note && { note }) };
  return closedEnvelope(request, verdict, done.record.counter);
}

function unknownOf(request: ToolRequest, open: OpenClaim, failure: Failure = lostFailure(open)) {
  const { at, sendBy, generation, landsWithinMs, claim } = open.claim;
  const record = open.lost?.counter ?? open.claim.counter;
  const verdict: CallVerdict = { is: 'unknown', failure, generation, sentAt: at, sendBy, landsWithinMs, claim };
  return finalFailure('OutcomeUnknown', failure.message, closedEnvelope(request, verdict, record));
}

function lostFailure({ lost }: OpenClaim): Failure {
  return (
    lost?.failure ?? {
      kind: 'timed-out',
      delivery: 'maybe-sent',
      message: 'An earlier attempt of this action was lost before it could say what happened.',
    }
  );
}

function endSpent(
  { now }: Pick<ActivityPorts, 'now'>,
  request: ToolRequest,
  effect: Effect,
  { worst, open }: Extract<Admission, { is: 'spent' }>,
): never {
  const failure: Failure = {
    kind: 'transient',
    delivery: 'not-sent',
    message: `${request.plan.tool} has used all of its ${request.maxAttempts} attempts.`,
  };
  const verdict = judge({ failure, effect, worst, spent: true });
  if (open && verdict.is === 'unknown') throw unknownOf(request, open, { ...failure, delivery: worst });
  const told =
    verdict.is === 'tell-model'
      ? verdict
      : ({ is: 'tell-model', status: 'unavailable', mayHaveApplied: false } as const);
  throw end(request, 'ToolUnavailable', failure.message, { is: 'told', reply: replyForFailure(failure, told, now()) });
}

/**
 * A worker that does not have the tool says only what the ledger lets it say: an earlier attempt, by a worker that had it, may
 * have acted. Always throws.
 */
export async function refuseWithoutTool(ports: ActivityPorts, request: ToolRequest): Promise<never> {
  const message = `This worker has no tool "${request.plan.tool}" for agent "${request.agent}".`;
  const state = foldKey(await ports.ledger.read({ key: request.plan.key }));
  if (state.is === 'done') throw end(request, 'KeyHeld', message, { is: 'again', waitMs: 1, why: message });
  const open = state.is === 'open' ? state.claims.findLast(({ claim }) => isOwnClaim(claim, request)) : undefined;
  if (!open) {
    const reply = { status: 'unavailable', message: `${message} Nothing was sent.`, retryable: false } as const;
    throw end(request, 'ToolUnavailable', message, { is: 'told', reply });
  }
  if (!open.lost && ports.now() < open.claim.sendBy + RECORD_GRACE_MS) {
    throw end(request, 'KeyHeld', message, { is: 'wait', why: 'an earlier attempt may still be under way' });
  }
  throw unknownOf(request, open);
}

const isOwnClaim = (claim: ClaimRecord, request: ToolRequest): boolean =>
  isOwn(claim, { ...request, call: request.plan.call });
