import { ActivityFailure, ApplicationFailure, CancellationScope, sleep, TimeoutFailure } from '@temporalio/workflow';
import type { Effect } from '../contracts/effect.ts';
import type { CallVerdict, Envelope } from '../contracts/envelope.ts';
import type { LedgerEntry } from '../contracts/ledger.ts';
import type { RunnableCall } from '../contracts/plan.ts';
import { FRESH_TALLY, type RetryBudget } from '../contracts/retry-budget.ts';
import type { CallProgress } from '../contracts/run.ts';
import { stricterEffect } from '../policy/effect-of.ts';
import type { CallMoment } from '../policy/make-question.ts';
import { afterLostReader, afterStanding, afterVerdict } from '../policy/next-progress.ts';
import { readEnvelope } from '../policy/read-envelope.ts';
import { toolTimes, type CallTimes } from '../policy/tool-times.ts';
import { endView } from './call-views.ts';
import { inquire } from './inquire.ts';
import { insist } from './insist.ts';
import { activities, untilItHolds } from './proxies.ts';
import type { Call } from './call.ts';
import { handBudget, returnBudget } from './retry-budget.ts';
import type { Run } from './run.ts';
import { decisionTerms, ledgerView, timeLeftMs } from './run-facts.ts';
import { show } from './show.ts';
import { toolOf } from './tool-of.ts';

/** Gives a call to a worker once, and works out where it stands then. Only our own envelope is believed. */
export async function attemptCall(run: Run, call: Call, plan: RunnableCall): Promise<CallProgress> {
  const effect = effectOfCall(run, plan);
  const times = toolTimes(toolOf(run, plan.tool), effect, timeLeftMs(run));
  call.schedule += 1;
  call.giveUpAt ??= Date.now() + times.scheduleToCloseMs;
  call.progress = { is: 'in-flight' };
  show(run);
  const { maxAttempts } = toolOf(run, plan.tool);
  // Those that are still to be handed their part, this one included.
  const sharers = 1 + run.calls.filter(({ progress }) => progress.is === 'due').length;
  const budget = handBudget(run, maxAttempts - 1, sharers);
  const said = await schedule(run, call, plan, { times, budget });
  const envelope = readEnvelope(said.detail, { call: plan.call, schedule: call.schedule, effect });
  returnBudget(run, budget, envelope?.tally?.used, envelope?.verdict?.is === 'done' ? 'succeeded' : 'failed');
  if (envelope?.verdict) {
    if (envelope.pending) await writePending(run, envelope.pending);
    noteCounter(run, plan, envelope);
    takeEdited(run, call, envelope.verdict);
    if (envelope.verdict.is === 'again' && envelope.verdict.unbegun) call.giveUpAt = null;
    return afterVerdict(envelope.verdict, momentOf(run, call, plan));
  }
  if (effect === 'read-only') return afterLostReader(said.mayNotHaveBegun, momentOf(run, call, plan));
  const standing = await inquire(run, call, plan);
  // Nothing was begun, so nothing of the call's time is used up.
  if (standing.is === 'never-began') call.giveUpAt = null;
  return afterStanding(standing, momentOf(run, call, plan));
}

/** The stricter of the card's flags and the plan's: a deploy in between may have changed them. */
export function effectOfCall(run: Run, plan: RunnableCall): Effect {
  return stricterEffect(toolOf(run, plan.tool).effect, plan.effect);
}

/** Somebody agreed to other arguments: from here on it is another call, in the place of the old one. */
function takeEdited(run: Run, call: Call, verdict: CallVerdict): void {
  if (verdict.is !== 'edited') return;
  endView(run, call.plan, { state: 'other arguments approved' });
  call.plan = verdict.plan;
  call.schedule = 0;
  call.giveUpAt = null;
}

/** The call as decisions about it need it, now. */
export function momentOf(run: Run, call: Call, plan: RunnableCall): CallMoment {
  const tool = toolOf(run, plan.tool);
  const { run: id, execution } = run.identity;
  return { run: id, execution, plan, tool, schedule: call.schedule, now: Date.now(), quorum: run.card?.quorum };
}

/** What the activity said, in whatever way it ended: its result, or the first detail of its failure. */
interface Said {
  readonly detail: unknown;
  /** It was given up by the server, perhaps without ever having been picked up. */
  readonly mayNotHaveBegun: boolean;
}

async function schedule(
  run: Run,
  call: Call,
  plan: RunnableCall,
  { times, budget }: { readonly times: CallTimes; readonly budget: RetryBudget },
): Promise<Said> {
  const { identity, turn } = run;
  const request = {
    ...identity,
    turn,
    plan,
    schedule: call.schedule,
    callsInTurn: run.calls.length,
    effect: effectOfCall(run, plan),
    maxAttempts: toolOf(run, plan.tool).maxAttempts,
    ...decisionTerms(run),
    ledger: ledgerView(run),
    giveUpAt: call.giveUpAt ?? Date.now(),
    tally: FRESH_TALLY,
    budget,
  };
  const options = {
    activityId: `${plan.call}s${call.schedule}`,
    summary: summaryOf(plan),
    startToCloseTimeout: times.startToCloseMs,
    scheduleToCloseTimeout: times.scheduleToCloseMs,
    heartbeatTimeout: times.heartbeatMs,
    retry: { maximumAttempts: times.maximumAttempts, nonRetryableErrorTypes: [...times.nonRetryableErrorTypes] },
  };
  const scope = new CancellationScope();
  const bound = new CancellationScope();
  const giveUp = () => {
    scope.cancel();
  };
  // A paused activity never times out: the run keeps its own clock.
  void bound.run(() => sleep(times.boundMs, { summary: `${plan.tool} · longest wait` })).then(giveUp, () => undefined);
  void run.stoppedNow.then(giveUp);
  try {
    const ask = () => activities.callTool.executeWithOptions(options, [request]);
    return { detail: await run.during(scope.run(ask)), mayNotHaveBegun: false };
  } catch (error) {
    return readFailure(error);
  } finally {
    bound.cancel();
  }
}

/** What people read in the Web UI: the named action, else the arguments as far as they fit. */
function summaryOf({ tool, named, key, input }: RunnableCall): string {
  if (named || input.is === 'stored') return `${tool} · ${key.intent}`;
  const shown = JSON.stringify(input.value);
  return `${tool} · ${shown.length > 80 ? `${shown.slice(0, 79)}…` : shown}`;
}

function readFailure(error: unknown): Said {
  if (!(error instanceof ActivityFailure)) return { detail: undefined, mayNotHaveBegun: false };
  const { cause } = error;
  const detail: unknown = cause instanceof ApplicationFailure ? cause.details?.[0] : undefined;
  const isUnbegun = cause instanceof TimeoutFailure && (cause.timeoutType ?? '').includes('SCHEDULE_TO');
  return { detail, mayNotHaveBegun: isUnbegun };
}

/** The verdict is true, its record is missing: nothing else of this intent happens before it is written. */
async function writePending(run: Run, entry: LedgerEntry): Promise<void> {
  run.unrecorded = [...run.unrecorded, entry];
  const options = { ...untilItHolds, summary: `${entry.tool} · ledger record` };
  const request = { ...run.identity, entry, ledger: ledgerView(run) };
  const ask = () => activities.repeatRecord.executeWithOptions(options, [request]);
  await insist(run, ask, (counter) => typeof counter === 'number');
  run.unrecorded = run.unrecorded.filter((one) => one !== entry);
}

/** Keys of the task's own scope move the task's counter: a ledger that shows less later was rolled back. */
function noteCounter(run: Run, { key }: RunnableCall, { record }: Envelope): void {
  if (!run.card || record === undefined || !key.scope.startsWith('task:')) return;
  const { ledger } = run.card;
  run.card = { ...run.card, ledger: { ...ledger, counter: Math.max(ledger.counter, record) } };
}
