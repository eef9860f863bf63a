import type { Screen } from './screen.ts';
import { table } from './table.ts';

export interface StartedRun {
  readonly run: string;
  /** It was running already. */
  readonly isJoined: boolean;
  /** A worker is there to take it up. */
  readonly isServed: boolean;
  readonly webUrl?: string;
}

/** Where a run that was just started can be watched. */
export function startedLines({ run, isJoined, isServed, webUrl }: StartedRun, { paint, command }: Screen): string {
  const rows = [
    ['Watch', command('watch', run)],
    ...(webUrl === undefined ? [] : [['Web UI', webUrl]]),
    ...(isServed ? [] : [['Worker', `${paint.yellow('none yet:')} the run waits for one.  ${command('dev')}`]]),
  ];
  return `${isJoined ? 'Joined, it was running:' : 'Started'} ${paint.bold(run)}\n${table(rows, '  ')}`;
}
