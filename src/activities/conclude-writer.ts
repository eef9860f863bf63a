import { activityInfo } from '@temporalio/activity';
import type { CallVerdict, Envelope } from '../contracts/envelope.ts';
import type { Failure } from '../contracts/failure.ts';
import type { LedgerStatement } from '../contracts/ledger.ts';
import { retryWaitMs, WAIT_CAP_MS } from '../policy/backoff.ts';
import { judge, type Verdict } from '../policy/judge.ts';
import { cancelledReply, replyForFailure } from '../policy/reply-for.ts';
import { worstDelivery } from '../policy/worst-delivery.ts';
import type { Attempt } from './attempt.ts';
import { entryFor, type ClaimedAttempt } from './claimed-attempt.ts';
import { isBudgetSpent, noteUsed } from './end-attempt.ts';
import type { ActivityPorts } from './ports.ts';
import { finalFailure, retryFailure, type FailureType } from './throw-verdict.ts';
import { writeRecord } from './write-record.ts';

export interface FailedAttempt {
  readonly attempt: Attempt;
  readonly failure: Failure;
  /** Until when its record is tried to be written, epoch milliseconds. */
  readonly reportBy: number;
  /** False: the body was not begun, by this worker's fault or its breaker's, which uses up nothing of the run's budget. Default true. */
  readonly isBegun?: boolean;
}

/** Judges a failed attempt, records what is known of it, and ends it in the way the judgement asks for. Always throws. */
export async function concludeWriter(
  ports: ActivityPorts,
  claimed: ClaimedAttempt,
  { attempt, failure, reportBy, isBegun = true }: FailedAttempt,
): Promise<never> {
  const { request, effect, admission, claim } = claimed;
  // What was never sent does not count as an attempt.
  const sent = failure.delivery === 'not-sent' ? admission.attempt - 1 : admission.attempt;
  // By tries, not by attempts: a peer that is never reached must not be hammered either.
  const tries = (request.schedule - 1) * request.maxAttempts + activityInfo().attempt;
  const waitMs = retryWaitMs(claimed.tool.backoff, tries, failure.waitMs, ports.dice());
  const wait = { waitMs, isAsked: failure.waitMs !== undefined };
  const spent =
    sent >= request.maxAttempts ||
    ports.now() + waitMs >= request.giveUpAt ||
    (isBegun && isBudgetSpent(attempt, wait, request.budget));
  const worst = worstDelivery(admission.worst, failure.delivery);
  const verdict = judge({ failure, effect, worst, spent });
  const written = await writeRecord(ports, entryFor(claimed, ports.now(), statementOf(failure, claim.id)), reportBy);
  if (isBegun) noteUsed(attempt, verdict.is === 'retry' ? wait : undefined);
  else attempt.carry(attempt.before);
  await attempt.end({
    outcome: outcomeOf(verdict, failure),
    failure,
    ...(verdict.is === 'retry' ? { nextWaitMs: waitMs } : {}),
  });
  const envelope: Envelope = { ...attempt.envelope, ...written };
  if (verdict.is === 'retry') {
    const again = { is: 'again', waitMs, why: failure.message } as const;
    if (waitMs <= WAIT_CAP_MS * 1.1 && !('pending' in written)) {
      throw retryFailure('ToolRetry', failure.message, envelope, again);
    }
    // Longer than the cap, or with a record still to be written: the workflow goes on from here.
    throw finalFailure('ToolRetry', failure.message, { ...envelope, verdict: again });
  }
  const [type, told] = finalVerdict(verdict, failure, claimed, ports.now());
  throw finalFailure(type, failure.message, { ...envelope, verdict: told });
}

/** What the ledger is told of the claim: proof that nothing happened, or that sight of it was lost. */
function statementOf(failure: Failure, claim: string): LedgerStatement {
  if (failure.delivery === 'maybe-sent') return { is: 'unknown', claim, failure };
  return {
    is: 'not-executed',
    claim,
    proof: failure.message,
    sent: failure.delivery === 'refused',
    definite: failure.kind === 'permanent' && failure.delivery === 'refused',
  };
}

function outcomeOf(verdict: Verdict, { delivery }: Failure): 'failure' | 'unknown' | 'cancelled' {
  if (verdict.is === 'cancelled') return 'cancelled';
  return verdict.is === 'unknown' && delivery === 'maybe-sent' ? 'unknown' : 'failure';
}

function finalVerdict(
  verdict: Exclude<Verdict, { is: 'retry' }>,
  failure: Failure,
  { claim, admission, tool }: ClaimedAttempt,
  now: number,
): [FailureType, CallVerdict] {
  switch (verdict.is) {
    case 'tell-model': {
      const type = verdict.status === 'failed' ? 'ToolFailed' : 'ToolUnavailable';
      return [type, { is: 'told', reply: replyForFailure(failure, verdict, now) }];
    }
    case 'unknown':
      return [
        'OutcomeUnknown',
        {
          ...{ is: 'unknown', failure, generation: admission.generation },
          ...{ claim: claim.id, sentAt: claim.at, sendBy: claim.sendBy, landsWithinMs: tool.landsWithinMs },
        },
      ];
    case 'cancelled':
      return ['ToolFailed', { is: 'told', reply: cancelledReply() }];
  }
}
