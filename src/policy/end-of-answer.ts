import type { ModelPlan } from '../contracts/plan.ts';
import type { RunEnd } from '../contracts/run.ts';

/** What a reply without calls makes of a run: an answer, half of one, or a refusal, as the provider says why it stopped. */
export function endOfAnswer(text: string, { finish, isFull }: Pick<ModelPlan, 'finish' | 'isFull'>): RunEnd {
  if (finish === 'length')
    return { status: 'partial', text: `${text}\n(${whyShort(text, isFull ?? false)})`.trimStart() };
  if (finish === 'content-filter')
    return { status: 'failed', text: text || "The provider's content filter refused the answer." };
  return { status: 'completed', text };
}

function whyShort(text: string, isFull: boolean): string {
  if (isFull) return 'The conversation is as long as the model can read: a higher limit of its answer would not help.';
  return text.trim() === ''
    ? 'The model said nothing: its limit of length was used up before, by thinking. Raise the limit, or lower the reasoning.'
    : 'The model was cut off by its own limit of length.';
}
