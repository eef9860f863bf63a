import type { ModelPlan } from '../contracts/plan.ts';
import type { RunEnd } from '../contracts/run.ts';

/** What a reply without calls makes of a run: an answer, half of one, or a refusal, as the provider says why it stopped. */
export function endOfAnswer(text: string, finish: ModelPlan['finish']): RunEnd {
  if (finish === 'length')
    return { status: 'partial', text: `${text}\n(The model was cut off by its own limit of length.)` };
  if (finish === 'content-filter')
    return { status: 'failed', text: text || "The provider's content filter refused the answer." };
  return { status: 'completed', text };
}
