import type { AgentWorkerOptions } from '../workers/create-agent-worker.ts';
import type { Screen } from './screens/screen.ts';
import { workerLogLine, type WorkerLog } from './screens/worker-log-line.ts';

type Logger = NonNullable<AgentWorkerOptions['logger']>;

/** The worker's log for the person at the terminal: what goes wrong and what tools say, one line each, no stacks. */
export function devLogger(write: (line: string) => void, screen: () => Screen, isVerbose: boolean): Logger {
  const log = (level: WorkerLog['level'], message: string, meta: WorkerLog['meta'] = {}) => {
    const line = workerLogLine({ level, message, meta }, isVerbose, screen());
    if (line !== undefined) write(line);
  };
  const at = (level: WorkerLog['level']) => (message: string, meta?: WorkerLog['meta']) => {
    log(level, message, meta);
  };
  return { log, trace: at('TRACE'), debug: at('DEBUG'), info: at('INFO'), warn: at('WARN'), error: at('ERROR') };
}
