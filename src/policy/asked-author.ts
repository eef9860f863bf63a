import type { AgentDefinition } from '../contracts/agent.ts';
import type { ModelFailure } from '../contracts/failure.ts';

/** The failure as the agent's author has it: their word on whether it may be tried again goes before the classifier's. */
export function askedAuthor(
  failure: ModelFailure,
  error: unknown,
  classify: AgentDefinition['classify'],
): ModelFailure {
  if (!classify || failure.class === 'cancelled') return failure;
  const said = say(classify, error);
  if (said === 'stop') return { ...failure, kind: 'permanent', class: 'permanent', retry: false, overCap: false };
  if (said !== 'retry' || failure.retry) return failure;
  return { ...failure, kind: 'transient', class: 'transient', retry: true, tries: ALL };
}

/** As many attempts as the agent has. */
const ALL = Number.MAX_SAFE_INTEGER;

function say(classify: NonNullable<AgentDefinition['classify']>, error: unknown): 'retry' | 'stop' | undefined {
  try {
    return classify(error);
  } catch {
    return undefined;
  }
}
