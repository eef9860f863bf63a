import { explainMissing, type MissingServer } from './find-server.ts';
import { findHolder, type PortHolder } from './port-holder.ts';
import type { StartFailure } from './prepare-server.ts';
import type { Environment } from './settings.ts';

/** The server could not be started. The message is for people: what, why, and what to do next. */
export class CannotStartServer extends Error {
  override readonly name = 'CannotStartServer';
}

const SHOWN_LINES = 5;

/** No CLI on this machine, and none could be downloaded. */
export function notFound(missing: MissingServer): CannotStartServer {
  return new CannotStartServer(explainMissing(missing));
}

/** A port that was asked for is held by somebody else. */
export async function portTaken(flag: 'port' | 'uiPort', port: number, env: Environment): Promise<CannotStartServer> {
  const holder = await findHolder(port, env);
  const [what, option] = flag === 'uiPort' ? ['Web UI port', '--ui-port'] : ['port', '--port'];
  return new CannotStartServer(
    [
      `cannot start the server: ${what} ${port} is taken by ${describeHolder(holder)}.`,
      ...(holder.is === 'temporal' ? [`  Use it:       holdfast dev --address 127.0.0.1:${port}`] : []),
      `  Or another:   holdfast dev ${option} ${port + 100}`,
    ].join('\n'),
  );
}

/** The file that was found is no program for this machine. */
export function cannotRun(path: string, cause: unknown): CannotStartServer {
  return new CannotStartServer(
    `cannot start the server: cannot run ${path} (${(cause as Error).message}).\n` +
      '  Remove that file, or point TEMPORAL_CLI_PATH at a working Temporal CLI.',
    { cause },
  );
}

/** The folder of the data or of the log is not ours to write. */
export function cannotWrite(folder: string, cause: unknown): CannotStartServer {
  return new CannotStartServer(
    `cannot start the server: cannot write to ${folder} (${(cause as Error).message}).\n` +
      '  Another folder:   export HOLDFAST_DATA=/path/to/folder',
    { cause },
  );
}

/** It was started and ended, or never answered: its own last words say why. */
export function didNotAnswer(failure: StartFailure, logFile: string): CannotStartServer {
  const what = failure.is === 'ended' ? 'it ended while starting' : `no answer in ${failure.afterS} s`;
  const lines = failure.log.split('\n').filter((line) => line.trim() !== '');
  const words = lines.length === 0 ? ['It wrote nothing.'] : lines.slice(-SHOWN_LINES);
  return new CannotStartServer(
    [`cannot start the server: ${what}.`, ...words.map((line) => `  ${line}`), `  Log: ${logFile}`].join('\n'),
  );
}

function describeHolder(holder: PortHolder): string {
  if (holder.is === 'program') return holder.name ?? 'another program';
  return `another Temporal (namespace default, ${holder.runs} ${holder.runs === 1 ? 'run' : 'runs'})`;
}
