import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  condition,
  isCancellation,
} from '@temporalio/workflow';
import type { ModelEnd } from '../contracts/envelope.ts';
import type { ModelPlan } from '../contracts/plan.ts';
import type { CallAnswer, ModelRequest } from '../contracts/requests.ts';
import { FRESH_TALLY, type CallTally } from '../contracts/retry-budget.ts';
import { asSentence } from '../policy/as-sentence.ts';
import { assertNever } from '../policy/assert-never.ts';
import { heldWaitMs } from '../policy/ledger-times.ts';
import { MODEL_TIMES } from '../policy/model-times.ts';
import { readCallBill } from '../policy/read-bill.ts';
import { readModelEnd, type SaidEnd } from '../policy/read-model-end.ts';
import { noteBill } from '../policy/run-bills.ts';
import { endView, startView, updateView } from './call-views.ts';
import { activities } from './proxies.ts';
import { addCost, lookForCosts } from './run-costs.ts';
import { handBudget, returnBudget } from './retry-budget.ts';
import type { Run } from './run.ts';
import { timeLeftMs } from './run-facts.ts';
import { show } from './show.ts';

export type ModelTurn =
  | { readonly is: 'planned'; readonly plan: ModelPlan }
  | { readonly is: 'failed'; readonly message: string }
  | { readonly is: 'stopped' };

/** How one schedule ended. `lost`: the worker went or stood still, which says nothing about the provider. */
type Asked =
  | { readonly is: 'planned'; readonly plan: ModelPlan }
  | ({ readonly is: 'ended' } & SaidEnd)
  | { readonly is: 'lost'; readonly tally: CallTally }
  | { readonly is: 'stopped' };

/** One turn of the model: gives it the answers to its last calls, and returns what it asks for next. */
export async function askModel(run: Run, answers: readonly CallAnswer[]): Promise<ModelTurn> {
  const model = run.card?.model ?? '';
  const { turn, head, identity, input } = run;
  const call = `t${turn}`;
  const view = startView(run, { call, turn, kind: 'model', name: model });
  const about = { ...identity, turn, head, input: head === null ? input.input : null, answers };
  const maxAttempts = run.card?.modelAttempts ?? MODEL_TIMES.attempts;
  let tally = FRESH_TALLY;
  const budget = handBudget(run, Infinity);
  const giveBack = (how: 'succeeded' | 'failed', used: CallTally) => {
    returnBudget(run, budget, used.used, how);
  };
  for (let schedule = 1; ; schedule++) {
    const asked = await askOnce(run, { ...about, schedule, tally, budget, maxAttempts });
    if (asked.is === 'planned') {
      giveBack('succeeded', asked.plan.tally ?? tally);
      const { bill, usage } = asked.plan;
      if (addCost(run, call, readCallBill(bill), usage)) await lookForCosts(run, call);
      endView(run, view, { state: 'ok', usage });
      run.waitsForProvider = false;
      return asked;
    }
    run.waitsForProvider = false;
    if (asked.is === 'stopped') {
      addCost(run, call, undefined);
      return asked;
    }
    const bill = asked.is === 'ended' ? asked.bill : undefined;
    if (bill) run.bills = noteBill(run.bills, call, bill);
    tally = asked.tally;
    const wait = waitAfter(asked, schedule);
    const over = wait.is === 'over' ? wait.why : await waitForProvider(run, call, wait);
    // Parked, it goes on waiting: the breaker brings it back, as often as need be.
    run.waitsForProvider = over === undefined && tally.parked;
    if (over !== undefined) {
      giveBack('failed', tally);
      if (addCost(run, call, bill)) await lookForCosts(run, call);
      endView(run, view, { state: over });
      return { is: 'failed', message: over };
    }
    if (run.stop !== null) {
      if (addCost(run, call, bill)) await lookForCosts(run, call);
      return { is: 'stopped' };
    }
  }
}

type Wait =
  | { readonly is: 'over'; readonly why: string }
  | {
      readonly is: 'wait';
      readonly waitMs: number;
      readonly why: string;
      readonly on: 'provider' | 'worker';
      readonly isPark: boolean;
    };

function waitAfter(asked: Extract<Asked, { is: 'ended' | 'lost' }>, schedule: number): Wait {
  if (asked.is === 'lost') {
    return {
      is: 'wait',
      waitMs: heldWaitMs(Math.min(6, schedule - 1)),
      why: 'its worker was lost',
      on: 'worker',
      isPark: false,
    };
  }
  const { end } = asked;
  switch (end.is) {
    case 'failed':
      return { is: 'over', why: end.why };
    case 'parked':
    case 'asked-to-wait':
      return { is: 'wait', waitMs: end.waitMs, why: end.why, on: 'provider', isPark: end.is === 'parked' };
    default:
      return assertNever(end);
  }
}

/** Sleeps on a durable timer, and shows it. Returns why the call is over when the run's deadline comes first. */
async function waitForProvider(
  run: Run,
  call: string,
  wait: Extract<Wait, { is: 'wait' }>,
): Promise<string | undefined> {
  const { waitMs, why, on } = wait;
  const leftMs = timeLeftMs(run);
  if (leftMs !== undefined && waitMs >= leftMs) {
    return `${asSentence(why)} It would have to wait ${Math.ceil(waitMs / 1_000)} s, and the run's deadline is in ${Math.ceil(leftMs / 1_000)} s.`;
  }
  const until = new Date(Date.now() + Math.min(waitMs, LONGEST_SLEEP_MS)).toISOString();
  const isPark = wait.isPark;
  updateView(run, call, {
    state: 'sleeping',
    why: on === 'provider' && !isPark ? `${asSentence(why)} Asked again from ${until}.` : why,
  });
  run.waitsForProvider = on === 'provider';
  if (on === 'provider') run.tell({ type: 'call-waits', at: Date.now(), call, turn: run.turn, waitMs, why });
  show(run);
  const summary = on === 'provider' ? `model · waits for its provider until ${until}` : `model · ${why}`;
  // Nothing is under way: also a safe stop need not wait.
  await condition(() => run.stop !== null, Math.max(1, Math.min(waitMs, LONGEST_SLEEP_MS)), { summary });
  return undefined;
}

/** No date and no timer is longer than this, whatever a server asks for. */
const LONGEST_SLEEP_MS = 30 * 86_400_000;

async function askOnce(run: Run, request: ModelRequest): Promise<Asked> {
  const { schedule, turn, tally, maxAttempts } = request;
  const leftMs = timeLeftMs(run);
  // Parked, it is the breaker that brings it back, as often as need be: only the run's deadline ends that.
  const bound = tally.parked
    ? leftMs
    : Math.min(Math.max(1_000, MODEL_TIMES.totalMs - tally.spentMs), leftMs ?? Infinity);
  const options = {
    activityId: schedule === 1 ? `t${turn}` : `t${turn}s${schedule}`,
    summary: `turn ${turn} · model ${run.card?.model ?? ''}`,
    startToCloseTimeout: MODEL_TIMES.attemptMs + 5_000,
    ...(bound !== undefined && { scheduleToCloseTimeout: Math.max(1_000, bound) }),
    heartbeatTimeout: MODEL_TIMES.heartbeatMs,
    retry: tally.parked ? {} : { maximumAttempts: Math.max(1, maxAttempts - tally.sent) },
  };
  const asking = new CancellationScope();
  const giveUp = () => {
    asking.cancel();
  };
  void run.stoppedNow.then(giveUp);
  // Most of the time a parked call is not under way at all: a safe stop ends it too.
  if (tally.parked) void condition(() => run.stop !== null).then(giveUp);
  try {
    const ask = () => activities.callModel.executeWithOptions(options, [request]);
    const plan = await run.during(asking.run(ask));
    return Array.isArray(plan.calls) ? { is: 'planned', plan } : { is: 'lost', tally };
  } catch (error) {
    if (isCancellation(error)) return { is: 'stopped' };
    if (!(error instanceof ActivityFailure)) throw error;
    const said = readModelEnd(
      error.cause instanceof ApplicationFailure ? error.cause.details?.[0] : undefined,
      request,
    );
    if (said) return { is: 'ended', ...said };
    if (run.stop === 'now') return { is: 'stopped' };
    const isOver = leftMs !== undefined && timeLeftMs(run) === 0;
    return isOver ? { is: 'ended', end: DEADLINE, tally, bill: undefined } : { is: 'lost', tally };
  }
}

const DEADLINE: ModelEnd = { is: 'failed', why: "The run's own deadline passed while the model was asked." };
