import type { Screen } from './screen.ts';
import { table } from './table.ts';

export interface StartedRun {
  readonly run: string;
  /** `joined`: it was running. `kept`: it has its answer already, and nothing was started. */
  readonly begun: 'started' | 'joined' | 'kept';
  /** A worker is there to take it up. */
  readonly isServed: boolean;
  readonly webUrl?: string;
}

const HEADS = {
  started: 'Started',
  joined: 'Joined, it was running:',
  kept: 'Nothing was started, it has its answer:',
} as const;

/** Where a run that was just started can be watched. */
export function startedLines({ run, begun, isServed, webUrl }: StartedRun, { paint, command }: Screen): string {
  const isOver = begun === 'kept';
  const rows = [
    isOver ? ['Show', command('show', run)] : ['Watch', command('watch', run)],
    ...(webUrl === undefined ? [] : [['Web UI', webUrl]]),
    ...(isServed || isOver
      ? []
      : [['Worker', `${paint.yellow('none yet:')} the run waits for one.  ${command('dev')}`]]),
  ];
  return `${HEADS[begun]} ${paint.bold(run)}\n${table(rows, '  ')}`;
}
