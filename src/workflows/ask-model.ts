import { ActivityFailure, ApplicationFailure, CancellationScope, isCancellation, sleep } from '@temporalio/workflow';
import type { Usage } from '../contracts/events.ts';
import type { ModelPlan } from '../contracts/plan.ts';
import type { CallAnswer, ModelRequest } from '../contracts/requests.ts';
import type { Spend } from '../contracts/run.ts';
import { MODEL_TIMES } from '../policy/model-times.ts';
import { activities } from './proxies.ts';
import { heldWaitMs } from '../policy/ledger-times.ts';
import { endView, startView, updateView } from './call-views.ts';
import type { Run } from './run.ts';

export type ModelTurn =
  | { readonly is: 'planned'; readonly plan: ModelPlan }
  | { readonly is: 'failed'; readonly message: string }
  | { readonly is: 'stopped' };

/** One turn of the model: gives it the answers to its last calls, and returns what it asks for next. */
export async function askModel(run: Run, answers: readonly CallAnswer[]): Promise<ModelTurn> {
  const model = run.card?.model ?? '';
  const { turn, head, identity, input } = run;
  const call = `t${turn}`;
  const view = startView(run, { call, turn, kind: 'model', name: model });
  const request = { ...identity, turn, head, input: head === null ? input.input : null, answers };
  for (let schedule = 1; ; schedule++) {
    const asked = await askOnce(run, model, schedule, request);
    if (asked.is === 'planned') {
      run.spend = addUsage(run.spend, asked.plan.usage);
      endView(run, view, { state: 'ok', usage: asked.plan.usage });
    }
    if (asked.is === 'failed') endView(run, view, { state: asked.message });
    if (asked.is !== 'lost') return asked;
    updateView(run, call, { state: 'sleeping', why: 'its worker was lost' });
    await Promise.race([sleep(heldWaitMs(schedule - 1), { summary: 'model · its worker was lost' }), run.stoppedNow]);
  }
}

/** `lost`: the worker went or stood still, which says nothing about the provider, so it is asked anew. */
async function askOnce(
  run: Run,
  model: string,
  schedule: number,
  request: ModelRequest,
): Promise<ModelTurn | { readonly is: 'lost' }> {
  const options = {
    activityId: schedule === 1 ? `t${request.turn}` : `t${request.turn}s${schedule}`,
    summary: `turn ${request.turn} · model ${model}`,
    startToCloseTimeout: MODEL_TIMES.attemptMs + 5_000,
    scheduleToCloseTimeout: MODEL_TIMES.totalMs,
    heartbeatTimeout: MODEL_TIMES.heartbeatMs,
    retry: { maximumAttempts: MODEL_TIMES.attempts },
  };
  const asking = new CancellationScope();
  void run.stoppedNow.then(() => {
    asking.cancel();
  });
  try {
    const ask = () => activities.callModel.executeWithOptions(options, [request]);
    const plan = await run.during(asking.run(ask));
    return Array.isArray(plan.calls) ? { is: 'planned', plan } : { is: 'lost' };
  } catch (error) {
    if (isCancellation(error)) return { is: 'stopped' };
    if (!(error instanceof ActivityFailure)) throw error;
    const { cause } = error;
    if (cause instanceof ApplicationFailure && isOurs(cause.type)) return { is: 'failed', message: cause.message };
    if (run.stop === 'now') return { is: 'stopped' };
    return { is: 'lost' };
  }
}

/** What the activity itself said of the model; anything else is news of workers or operators. */
const isOurs = (type: string | undefined | null): boolean => type === 'ModelFailed' || type === 'ModelRetry';

function addUsage(spend: Spend, { inputTokens, outputTokens }: Usage): Spend {
  return {
    inputTokens: spend.inputTokens + (inputTokens ?? 0),
    outputTokens: spend.outputTokens + (outputTokens ?? 0),
    unmetered: spend.unmetered + (inputTokens === null && outputTokens === null ? 1 : 0),
  };
}
