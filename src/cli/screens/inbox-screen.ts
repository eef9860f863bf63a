import type { InboxItem } from '../../client/inbox.ts';
import type { RunRow } from '../../client/list-runs.ts';
import { questionBlock } from './question-block.ts';
import type { Screen } from './screen.ts';

export type ShownItem = InboxItem & { readonly webUrl?: string | undefined; readonly canAbort: boolean };

/** What waits for a person, oldest first. `silent`: runs that wait too, and that no worker answers for. */
export function inboxScreen(items: readonly ShownItem[], silent: readonly RunRow[], screen: Screen): string {
  const { paint, command } = screen;
  if (items.length + silent.length === 0) return `Nothing waits for a person.   Runs: ${command('ls')}`;
  const blocks = items.map(({ question, canAbort, ...asker }) => questionBlock(question, { asker, canAbort }, screen));
  const head = paint.bold(`${items.length + silent.length} waiting for a person`);
  return [head, ...blocks, ...(silent.length === 0 ? [] : [silentLines(silent, screen)])].join('\n\n');
}

function silentLines(silent: readonly RunRow[], { command, paint }: Screen): string {
  const runs = silent.map(({ run, waitingFor }) => `  ${run}  waits for: ${waitingFor.join(', ')}`);
  return [
    paint.bold('No worker answers for these, so what they ask is not known:'),
    ...runs,
    `  A worker: ${command('dev')}`,
  ].join('\n');
}
