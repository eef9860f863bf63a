import type { InboxItem } from '../client/inbox.ts';
import { nearMatches } from '../policy/near-matches.ts';

/** The question that the first letters of an id stand for. `near`: what may have been meant. `short`: too few letters. */
export type FoundQuestion =
  | { readonly is: 'one'; readonly item: InboxItem }
  | { readonly is: 'many' | 'none' | 'short'; readonly near: readonly InboxItem[] };

/** Every id begins with "q", and with nothing: a variable that was not set, or a slip, must not decide. */
export const FEWEST_LETTERS = 3;

/** Of a run's question and the ledger's copy of it the run's counts. `run`: only its questions. Pure. */
export function findQuestion(typed: string, items: readonly InboxItem[], run?: string): FoundQuestion {
  const open = oncePerQuestion(run === undefined ? items : items.filter(({ question }) => question.run === run));
  const begun = open.filter(({ question }) => question.id.startsWith(typed));
  const exact = begun.filter(({ question }) => question.id === typed);
  if (exact.length === 0 && typed.trim().length < FEWEST_LETTERS) return { is: 'short', near: begun };
  const [first, ...others] = exact.length > 0 ? exact : begun;
  if (first && others.length === 0) return { is: 'one', item: first };
  if (first) return { is: 'many', near: [first, ...others] };
  const near = nearMatches(
    typed,
    open.map(({ question }) => question.id),
  );
  return { is: 'none', near: open.filter(({ question }) => near.includes(question.id)) };
}

function oncePerQuestion(items: readonly InboxItem[]): readonly InboxItem[] {
  const seen = new Map<string, InboxItem>();
  for (const item of items) {
    const key = JSON.stringify([item.question.id, item.question.run]);
    if (!seen.has(key)) seen.set(key, item);
  }
  return [...seen.values()];
}
