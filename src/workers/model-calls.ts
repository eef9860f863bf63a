import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { Agent, Config } from '../contracts/agent.ts';
import type { Clock } from '../contracts/clock.ts';
import type { ModelCall, ModelTarget } from '../contracts/middleware.ts';
import type { BuiltIn, ModelRef } from '../contracts/model-choice.ts';
import type { RateLimiter, SharedLimits } from '../contracts/shared-limits.ts';
import {
  askProvider,
  breaker,
  composeModelCall,
  costMeter,
  fallback,
  hedge,
  patience,
  rateLimit,
  type CostMeter,
} from '../middleware/index.ts';
import { choiceOf, labelOf, modelsOf, targetOf } from '../policy/model-label.ts';
import { MODEL_TIMES } from '../policy/model-times.ts';
import { nameAttemptError } from '../policy/name-attempt-error.ts';

export interface ModelCallParts {
  readonly config: Config;
  readonly limits: SharedLimits;
  readonly limiterOf: (name: string) => RateLimiter | undefined;
  readonly meter: CostMeter;
  readonly clock: Clock;
  readonly open: (model: ModelRef) => Promise<LanguageModelV4>;
}

/** The composed model call of each agent, made once. Its models are opened when it is made. @throws as `open` does. */
export function createModelCalls(parts: ModelCallParts): (agent: Agent) => Promise<ModelCall> {
  const calls = new Map<Agent, Promise<ModelCall>>();
  return (agent) => {
    const known = calls.get(agent);
    if (known) return known;
    const made = compose(agent, parts);
    calls.set(agent, made);
    // A model that could not be opened may be there next time.
    made.catch(() => calls.delete(agent));
    return made;
  };
}

async function compose(agent: Agent, { limits, limiterOf, meter, clock, open }: ModelCallParts): Promise<ModelCall> {
  const choice = choiceOf(agent);
  const models = await Promise.all(modelsOf(choice).map(open));
  const [, ...others] = modelsOf(choice).map(targetOf);
  const hedges = choice.hedge?.models.length ?? 0;
  const has = (part: BuiltIn) => !agent.without?.includes(part);
  return composeModelCall({
    use: agent.use ?? [],
    fallback: fallback(others.slice(hedges)),
    hedge: hedge({
      backups: others.slice(0, hedges),
      afterMs: choice.hedge?.afterMs ?? 0,
      isHedged: ({ target }) => target.at === 0,
      clock,
    }),
    rateLimit: has('rate-limit') && rateLimit(({ account }) => limiterOf(account)),
    breaker:
      has('breaker') && breaker({ limits, clock, classify: (error) => nameAttemptError(error, { now: Date.now() }) }),
    costMeter: costMeter(meter),
    patience: has('patience') && patience({ firstMs: MODEL_TIMES.firstContentMs, idleMs: MODEL_TIMES.idleMs, clock }),
    provider: askProvider((target) => need(models, target, agent)),
  });
}

/** A middleware of the user's may have changed the target. */
function need(models: readonly LanguageModelV4[], { at }: ModelTarget, agent: Agent): LanguageModelV4 {
  const model = models[at];
  if (model) return model;
  const known = modelsOf(choiceOf(agent)).map(labelOf).join(', ');
  throw new Error(`Agent "${agent.name}" has no model number ${at}. It has, from 0: ${known}.`);
}
