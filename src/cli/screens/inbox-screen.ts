import type { InboxItem } from '../../client/inbox.ts';
import { questionBlock } from './question-block.ts';
import type { Screen } from './screen.ts';

export type ShownItem = InboxItem & { readonly webUrl?: string | undefined };

/** What waits for a person, oldest first. */
export function inboxScreen(items: readonly ShownItem[], screen: Screen): string {
  if (items.length === 0) return `Nothing waits for a person.   Runs: ${screen.command('ls')}`;
  const blocks = items.map(({ question, ...asker }) => questionBlock(question, asker, screen));
  return [screen.paint.bold(`${items.length} waiting for a person`), ...blocks].join('\n\n');
}
