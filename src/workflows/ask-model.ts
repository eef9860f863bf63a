import { ActivityFailure, ApplicationFailure, CancellationScope, isCancellation } from '@temporalio/workflow';
import type { Usage } from '../contracts/events.ts';
import type { ModelPlan } from '../contracts/plan.ts';
import type { CallAnswer } from '../contracts/requests.ts';
import type { Spend } from '../contracts/run.ts';
import { MODEL_TIMES } from '../policy/model-times.ts';
import { activities } from './proxies.ts';
import { endView, startView } from './call-views.ts';
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
  const options = {
    activityId: call,
    summary: `turn ${turn} · model ${model}`,
    startToCloseTimeout: MODEL_TIMES.attemptMs + 5_000,
    scheduleToCloseTimeout: MODEL_TIMES.totalMs,
    heartbeatTimeout: MODEL_TIMES.heartbeatMs,
    retry: { maximumAttempts: MODEL_TIMES.attempts },
  };
  const request = { ...identity, turn, head, input: head === null ? input.input : null, answers };
  const asking = new CancellationScope();
  void run.stoppedNow.then(() => {
    asking.cancel();
  });
  try {
    const plan = await run.during(asking.run(() => activities.callModel.executeWithOptions(options, [request])));
    run.spend = addUsage(run.spend, plan.usage);
    endView(run, view, { state: 'ok', usage: plan.usage });
    return { is: 'planned', plan };
  } catch (error) {
    if (isCancellation(error)) return { is: 'stopped' };
    const message = messageOf(error);
    endView(run, view, { state: message });
    return { is: 'failed', message };
  }
}

function addUsage(spend: Spend, { inputTokens, outputTokens }: Usage): Spend {
  return {
    inputTokens: spend.inputTokens + (inputTokens ?? 0),
    outputTokens: spend.outputTokens + (outputTokens ?? 0),
    unmetered: spend.unmetered + (inputTokens === null && outputTokens === null ? 1 : 0),
  };
}

function messageOf(error: unknown): string {
  if (!(error instanceof ActivityFailure)) throw error;
  const { cause } = error;
  return cause instanceof ApplicationFailure ? cause.message : 'The model gave no answer in the time it has.';
}
