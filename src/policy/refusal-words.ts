import { hasWord } from './provider-words.ts';
import type { SaidOfContent } from './said-of-content.ts';

/** Codes of filters and moderation: the same words will be refused again. */
const FILTERS = [
  ...['content_filter', 'content_filtered', 'content_policy_violation', 'invalid_prompt', 'moderation_blocked'],
  ...['ResponsibleAIPolicyViolation', 'cyber_policy_violation', 'safety_violation', 'content_moderation'],
];

/** Where words are all there is: none of them means only this. */
const LOOSE = [
  /(content|usage) (management |filtering )?policy/i,
  /\bflagged\b/i,
  /blocked by (content|safety)/i,
  /prompt injection/i,
];

/** `filter`: somebody's rules forbid the content; `refusal`: the model itself said no. */
export function readRefusal(
  { words, loose }: SaidOfContent,
  metadata: Readonly<Record<string, unknown>>,
): 'filter' | 'refusal' | undefined {
  if (hasWord(words, ['refusal'])) return 'refusal';
  if (hasWord(words, FILTERS)) return 'filter';
  // OpenRouter says with its 403 what was found.
  if ('flagged_input' in metadata || 'patterns' in metadata || Array.isArray(metadata['reasons'])) return 'filter';
  return loose.some((message) => LOOSE.some((phrase) => phrase.test(message))) ? 'filter' : undefined;
}
