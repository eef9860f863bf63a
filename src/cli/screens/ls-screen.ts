import type { ListFilter, RunRow } from '../../client/list-runs.ts';
import { fit } from './fit.ts';
import type { Screen } from './screen.ts';
import { paintStatus } from './status-words.ts';
import { table } from './table.ts';
import { ago, span } from './times.ts';

/** Runs, newest first, one line each. */
export function lsScreen(rows: readonly RunRow[], { filter }: { readonly filter: ListFilter }, screen: Screen): string {
  const { agent, status, limit } = filter;
  const { paint, command } = screen;
  if (rows.length === 0) {
    const asked = [
      ...(agent === undefined ? [] : [` of agent ${agent}`]),
      ...(status === undefined ? [] : [` that are ${status}`]),
    ];
    return asked.length > 0
      ? `No runs${asked.join('')}.`
      : `No runs yet.   ${command('start', 'AGENT', '--input', '…')}`;
  }
  const head = ['status', 'run', 'agent', 'started', 'took'].map((name) => paint.dim(name));
  const more = rows.length === limit ? `\n${paint.dim(`The newest ${limit}; more with --limit N.`)}` : '';
  const waits = rows.some(isWaiting) ? `\n${paint.dim('Decide:')} ${command('inbox')}` : '';
  return table([head, ...rows.map((row) => rowOf(row, screen))]) + more + waits;
}

function rowOf({ run, agent, status, startedAt, closedAt }: RunRow, { now, paint }: Screen): readonly string[] {
  const took = closedAt === undefined ? '' : span(closedAt - startedAt);
  return [paintStatus(status, paint), run, fit(agent || '-', 24), ago(startedAt, now), took];
}

const isWaiting = ({ status }: RunRow): boolean => status === 'waiting' || status === 'answered';
