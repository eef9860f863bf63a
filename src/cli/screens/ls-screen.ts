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
  const head = ['status', 'run', 'agent', 'started', 'took', 'waits for'].map((name) => paint.dim(name));
  const more = rows.length === limit ? `\n${paint.dim(`The newest ${limit}; more with --limit N.`)}` : '';
  const waits = rows.some(isWaiting) ? `\n${paint.dim('Decide:')} ${command('inbox')}` : '';
  const columns = rows.some((row) => waitsOf(row).length > 0) ? head.length : head.length - 1;
  const all = [head, ...rows.map((row) => rowOf(row, screen))].map((row) => row.slice(0, columns));
  return table(all) + more + waits;
}

function rowOf(row: RunRow, { now, paint }: Screen): readonly string[] {
  const { run, agent, status, startedAt, closedAt } = row;
  const took = closedAt === undefined ? '' : span(closedAt - startedAt);
  const waits = waitsOf(row).join(', ');
  return [paintStatus(status, paint), run, fit(agent || '-', 24), ago(startedAt, now), took, waits];
}

/** One that was ended from outside shows what it waited for ever after. */
const waitsOf = ({ closedAt, waitingFor }: RunRow): readonly string[] => (closedAt === undefined ? waitingFor : []);

const isWaiting = (row: RunRow): boolean =>
  row.status === 'waiting' || row.status === 'answered' || waitsOf(row).length > 0;
