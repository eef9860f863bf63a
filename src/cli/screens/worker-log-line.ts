import { EVENTS, NAMES } from '../../contracts/telemetry-names.ts';
import { plain } from './plain.ts';
import type { Screen } from './screen.ts';
import { clock } from './times.ts';

export interface WorkerLog {
  readonly level: 'TRACE' | 'DEBUG' | 'INFO' | 'WARN' | 'ERROR';
  readonly message: string;
  readonly meta: Readonly<Record<string, unknown>>;
}

/** One line of a worker's log; undefined for what only its authors want to read. With `isVerbose` everything from INFO on, stacks included. */
export function workerLogLine(log: WorkerLog, isVerbose: boolean, screen: Screen): string | undefined {
  const { level, meta } = log;
  if (level === 'TRACE' || level === 'DEBUG' || (!isVerbose && !isForPeople(log))) return undefined;
  const { paint, now } = screen;
  const run = meta['run'] ?? meta['workflowId'];
  const text = plain(textOf(log, screen));
  const shown = level === 'INFO' ? text : level === 'WARN' ? paint.yellow(text) : paint.red(text);
  const line = [paint.dim(clock(now, now)), ...(typeof run === 'string' ? [plain(run)] : []), shown].join('  ');
  const { stack } = (meta['error'] ?? {}) as { stack?: string };
  return isVerbose && stack !== undefined ? `${line}\n${stack}` : line;
}

/** Tools' own lines, warnings and errors. A model's failed attempt has told of itself before Temporal tells of it again. */
function isForPeople({ level, message, meta }: WorkerLog): boolean {
  if (message === 'Activity failed' && meta['activityType'] === 'callModel') return false;
  // Of a tool's, Temporal tells.
  if (meta[NAMES.eventName] === EVENTS.attemptFailed && meta[NAMES.tool] !== undefined) return false;
  return level !== 'INFO' || meta['sdkComponent'] === undefined;
}

function textOf({ message, meta }: WorkerLog, { command }: Screen): string {
  const { message: why, type } = (meta['error'] ?? {}) as { message?: string; type?: string };
  if (message !== 'Activity failed' || why === undefined) return message;
  return type === 'OutcomeUnknown' ? `outcome unknown: ${why}  ${command('inbox')}` : why;
}
