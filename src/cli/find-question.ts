import type { InboxItem } from '../client/inbox.ts';
import { nearMatches } from '../policy/near-matches.ts';

/** The question that the first letters of an id stand for. `near`: what may have been meant. */
export type FoundQuestion =
  | { readonly is: 'one'; readonly item: InboxItem }
  | { readonly is: 'many' | 'none'; readonly near: readonly InboxItem[] };

/** Of a run's question and the ledger's copy of it the run's counts. `run`: only its questions. Pure. */
export function findQuestion(typed: string, items: readonly InboxItem[], run?: string): FoundQuestion {
  const open = oncePerQuestion(run === undefined ? items : items.filter(({ question }) => question.run === run));
  // Every id begins with nothing: a variable that was not set must not decide.
  if (typed.trim() === '') return { is: 'none', near: [] };
  const exact = open.filter(({ question }) => question.id === typed);
  const [first, ...others] = exact.length > 0 ? exact : open.filter(({ question }) => question.id.startsWith(typed));
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
