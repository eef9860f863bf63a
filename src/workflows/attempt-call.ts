import { ActivityFailure, ApplicationFailure, CancellationScope, sleep } from '@temporalio/workflow';
import type { Envelope } from '../contracts/envelope.ts';
import type { LedgerEntry } from '../contracts/ledger.ts';
import type { RunnableCall } from '../contracts/plan.ts';
import type { CallProgress } from '../contracts/run.ts';
import { stricterEffect } from '../policy/effect-of.ts';
import { afterStanding, afterVerdict, type CallMoment } from '../policy/next-progress.ts';
import { readEnvelope } from '../policy/read-envelope.ts';
import { toolTimes, type CallTimes } from '../policy/tool-times.ts';
import { activities, untilItHolds } from './proxies.ts';
import type { Call, Run } from './run.ts';
import { show } from './show.ts';
import { toolOf } from './tool-of.ts';
import { ledgerView, timeLeftMs } from './run-facts.ts';

/** Gives a call to a worker once, and works out where it stands then. Only our own envelope is believed. */
export async function attemptCall(run: Run, call: Call, plan: RunnableCall): Promise<CallProgress> {
  const tool = toolOf(run, plan.tool);
  const effect = stricterEffect(tool.effect, plan.effect);
  const times = toolTimes(tool, effect, timeLeftMs(run));
  call.schedule += 1;
  call.giveUpAt ??= Date.now() + times.scheduleToCloseMs;
  call.progress = { is: 'in-flight' };
  show(run);
  const said = await schedule(run, call, plan, times);
  const envelope = readEnvelope(said, { call: plan.call, schedule: call.schedule, effect });
  const moment = (): CallMoment => ({ run: run.identity.run, plan, tool, schedule: call.schedule, now: Date.now() });
  if (envelope?.verdict) {
    if (envelope.pending) await writePending(run, envelope.pending);
    noteCounter(run, plan, envelope);
    return afterVerdict(envelope.verdict, moment());
  }
  if (effect === 'read-only') return afterStanding({ is: 'again' }, moment());
  const { identity } = run;
  const { key } = plan;
  const inquiry = {
    ...identity,
    key,
    call: plan.call,
    schedule: call.schedule,
    tool: tool.name,
    effect,
    ledger: ledgerView(run),
  };
  const options = { ...untilItHolds, summary: `${plan.tool} · what became of it?` };
  const standing = await run.during(activities.askLedger.executeWithOptions(options, [inquiry]));
  // Nothing was begun, so nothing of the call's time is used up.
  if (standing.is === 'never-began') call.giveUpAt = undefined;
  return afterStanding(standing, moment());
}

/** What the activity said, in whatever way it ended: its result, or the first detail of its failure. */
async function schedule(run: Run, call: Call, plan: RunnableCall, times: CallTimes): Promise<unknown> {
  const { identity, turn } = run;
  const tool = toolOf(run, plan.tool);
  const request = {
    ...identity,
    turn,
    plan,
    schedule: call.schedule,
    callsInTurn: run.calls.length,
    effect: stricterEffect(tool.effect, plan.effect),
    maxAttempts: tool.maxAttempts,
    ledger: ledgerView(run),
    giveUpAt: call.giveUpAt ?? Date.now(),
  };
  const options = {
    activityId: `${plan.call}s${call.schedule}`,
    summary: `${plan.tool} · ${plan.key.intent}`,
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
    return await run.during(scope.run(() => activities.callTool.executeWithOptions(options, [request])));
  } catch (error) {
    return detailOf(error);
  } finally {
    bound.cancel();
  }
}

function detailOf(error: unknown): unknown {
  if (!(error instanceof ActivityFailure)) return undefined;
  const { cause } = error;
  return cause instanceof ApplicationFailure ? cause.details?.[0] : undefined;
}

/** The verdict is true, its record is missing: nothing else of this intent happens before it is written. */
async function writePending(run: Run, entry: LedgerEntry): Promise<void> {
  run.unrecorded = [...run.unrecorded, entry];
  const options = { ...untilItHolds, summary: `${entry.tool} · ledger record` };
  const request = { ...run.identity, entry, ledger: ledgerView(run) };
  await run.during(activities.repeatRecord.executeWithOptions(options, [request]));
  run.unrecorded = run.unrecorded.filter((one) => one !== entry);
}

/** Keys of the task's own scope move the task's counter: a ledger that shows less later was rolled back. */
function noteCounter(run: Run, { key }: RunnableCall, { record }: Envelope): void {
  if (!run.card || record === undefined || !key.scope.startsWith('task:')) return;
  const { ledger } = run.card;
  run.card = { ...run.card, ledger: { ...ledger, counter: Math.max(ledger.counter, record) } };
}
