import type { WorkerLimits } from '../../client/read-limits.ts';
import type { LimitSnapshot } from '../../contracts/shared-limits.ts';
import type { Screen } from './screen.ts';
import { table } from './table.ts';
import { ago, span } from './times.ts';

/** Each worker's breakers, as they stood when one last changed. */
export function breakersScreen(workers: readonly WorkerLimits[], taskQueue: string, screen: Screen): string {
  const { command, paint } = screen;
  if (workers.length === 0) return `No worker polls the task queue ${taskQueue}.   ${command('worker')}`;
  const rows = workers.flatMap((worker) => rowsOf(worker, screen));
  const head = ['worker', 'of', 'circuit', 'repeats', 'changed'].map((name) => paint.dim(name));
  const quiet = workers.filter(({ limits }) => limits.length === 0);
  return [...(rows.length > 0 ? [table([head, ...rows])] : []), ...quiet.map((worker) => quietLine(worker))].join('\n');
}

function rowsOf({ worker, at = 0, limits }: WorkerLimits, screen: Screen): readonly (readonly string[])[] {
  return limits.map((limit) => {
    const { key, retriesAllowed, milliTokens } = limit;
    const tokens = `${(milliTokens / 1_000).toFixed(1)} of 10 tokens`;
    const repeats = retriesAllowed ? tokens : screen.paint.yellow(`none · ${tokens}`);
    return [worker, nameOf(key), circuitOf(limit, at, screen), repeats, ago(at, screen.now)];
  });
}

const nameOf = (key: string): string => key.replace(/^model:/, 'provider ').replace(/^tool:/, 'tool ');

function circuitOf({ circuit, failures, probeInMs }: LimitSnapshot, at: number, { now, paint }: Screen): string {
  if (circuit === 'closed') return failures === 0 ? 'closed' : `closed · ${failures} failures in a row`;
  if (circuit === 'probing') return paint.yellow('looks whether it is back');
  const leftMs = at + probeInMs - now;
  return paint.yellow(leftMs > 0 ? `open · looks again in ${span(leftMs)}` : 'open · looks again with the next call');
}

const quietLine = ({ worker, at }: WorkerLimits): string =>
  at === undefined
    ? `${worker}   has not said how its breakers stand: it is older, or keeps its events elsewhere`
    : `${worker}   nothing has failed since it started`;
