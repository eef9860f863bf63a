import { activityInfo } from '@temporalio/activity';
import { storedFromBytes } from '../contracts/content.ts';
import type { Envelope } from '../contracts/envelope.ts';
import type { Failure } from '../contracts/failure.ts';
import type { ToolRequest } from '../contracts/requests.ts';
import type { Tool } from '../contracts/tool.ts';
import { retryWaitMs, WAIT_CAP_MS } from '../policy/backoff.ts';
import { judge } from '../policy/judge.ts';
import { cancelledReply, replyForReader } from '../policy/reply-for.ts';
import { admitTool } from './admit-tool.ts';
import { beginAttempt, type Attempt } from './attempt.ts';
import { digestOf } from './digest.ts';
import { isBudgetSpent, noteSuccess, noteUsed } from './end-attempt.ts';
import { failureOfEnd } from './failure-of-end.ts';
import { gateReader } from './gate-reader.ts';
import type { ActivityPorts } from './ports.ts';
import { readResult } from './read-result.ts';
import { runBody } from './run-body.ts';
import { loadContent } from './store-content.ts';
import { finalFailure, retryFailure } from './throw-verdict.ts';
import { openWorkbench } from './tool-context.ts';

/** One attempt of a read-only tool: nothing is claimed, and it may be repeated freely. */
export async function callReader(ports: ActivityPorts, request: ToolRequest, tool: Tool): Promise<Envelope> {
  const { plan, run, turn, schedule } = request;
  const { name, timeoutMs } = tool;
  const held = await gateReader(ports, request);
  if (held) return held;
  const attempt = await beginAttempt(ports, {
    run,
    turn,
    schedule,
    call: plan.call,
    kind: 'tool',
    name,
    timeoutMs,
    tally: request.tally,
  });
  const admission = await admitTool(ports, tool, attempt.number);
  if (admission.is === 'held-back') return conclude(ports, request, { attempt, tool, failure: admission.failure });
  const stop = new AbortController();
  const deadline = ports.now() + timeoutMs;
  const key = { idempotencyKey: digestOf([run, plan.call]).slice(0, 32), deadline, signal: stop.signal };
  const { context, requests } = openWorkbench(ports, request, attempt, key);
  const input = await loadContent(ports.transcripts, plan.input);
  const end = await runBody(() => tool.execute(input, context), timeoutMs);
  if (end.is === 'returned') {
    admission.report();
    const { result, note } = await readResult(ports, tool, end.value, storedFromBytes(request.callsInTurn));
    noteSuccess(attempt);
    await attempt.end({ outcome: 'success' });
    return { ...attempt.envelope, verdict: { is: 'done', result, ...(note && { note }) } };
  }
  stop.abort(new Error(`The attempt of ${name} was given up.`));
  const failure = failureOfEnd(end, tool, requests());
  admission.report(failure);
  return conclude(ports, request, { attempt, tool, failure });
}

async function conclude(
  ports: ActivityPorts,
  request: ToolRequest,
  {
    attempt,
    tool: { backoff },
    failure,
  }: { readonly attempt: Attempt; readonly tool: Tool; readonly failure: Failure },
): Promise<Envelope> {
  const tries = activityInfo().attempt;
  const waitMs = retryWaitMs(backoff, tries, failure.waitMs, ports.dice());
  const wait = { waitMs, isAsked: failure.waitMs !== undefined };
  const spent =
    tries >= request.maxAttempts ||
    ports.now() + waitMs >= request.giveUpAt ||
    isBudgetSpent(attempt, wait, request.budget);
  const verdict = judge({ failure, effect: 'read-only', worst: failure.delivery, spent });
  const isRetry = verdict.is === 'retry';
  // What the breaker kept back was no repetition.
  if (failure.kind !== 'held-back') noteUsed(attempt, isRetry ? wait : undefined);
  else attempt.carry(attempt.before);
  await attempt.end({
    outcome: verdict.is === 'cancelled' ? 'cancelled' : 'failure',
    failure,
    ...(isRetry ? { nextWaitMs: waitMs } : {}),
  });
  switch (verdict.is) {
    case 'retry': {
      const again = { is: 'again', waitMs, why: failure.message } as const;
      if (waitMs <= WAIT_CAP_MS * 1.1) throw retryFailure('ToolRetry', failure.message, attempt.envelope, again);
      throw finalFailure('ToolRetry', failure.message, { ...attempt.envelope, verdict: again });
    }
    case 'tell-model': {
      const reply = replyForReader(failure, verdict, ports.now());
      const type = verdict.status === 'failed' ? 'ToolFailed' : 'ToolUnavailable';
      throw finalFailure(type, failure.message, { ...attempt.envelope, verdict: { is: 'told', reply } });
    }
    case 'cancelled':
    case 'unknown':
      throw finalFailure('ToolFailed', failure.message, {
        ...attempt.envelope,
        verdict: { is: 'told', reply: cancelledReply() },
      });
  }
}
