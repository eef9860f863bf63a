import type { Agent } from '../contracts/agent.ts';
import type { ModelTarget } from '../contracts/middleware.ts';
import type { ModelChoice, ModelRef } from '../contracts/model-choice.ts';

/** A model for people: `provider/model`. */
export const labelOf = (model: ModelRef): string =>
  typeof model === 'string' ? model : `${model.provider}/${model.modelId}`;

/** The models of an agent, in one shape. */
export const choiceOf = ({ model }: Pick<Agent, 'model'>): ModelChoice =>
  typeof model === 'object' && 'primary' in model ? model : { primary: model };

/** All of them, the primary first. */
export const modelsOf = (choice: ModelChoice): readonly ModelRef[] => [
  choice.primary,
  ...(choice.hedge?.models ?? []),
  ...(choice.fallback ?? []),
];

/** Whom a request is for, `at` its place among them. The account is the provider's name: all models of one name share its limits. */
export function targetOf(model: ModelRef, at: number): ModelTarget {
  if (typeof model !== 'string') return { account: model.provider, model: model.modelId, at };
  const slash = model.indexOf('/');
  return { account: model.slice(0, slash), model: model.slice(slash + 1), at };
}
