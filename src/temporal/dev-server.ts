import { cannotRun, didNotAnswer, notFound, portTaken } from './cannot-start-server.ts';
import { serverFlags, type ServerPlace } from './dev-server-flags.ts';
import { findServer } from './find-server.ts';
import { freePorts, isFree } from './ports.ts';
import { lostPort, prepareServer } from './prepare-server.ts';
import { sayWhile, type Say } from './say.ts';
import { prepareLog, type ServerLog } from './server-log.ts';
import { startProcess, type ServerCommand, type ServerProcess } from './server-process.ts';
import { readProgramSettings, type ProgramSettings } from './settings.ts';

export interface DevServerOptions {
  /** Where server.log goes. Default: the folder of `dbFile`, else a temporary folder that goes with the server. */
  readonly dataDir?: string;
  /** SQLite file that keeps everything over restarts. Default: in memory. One server per file. */
  readonly dbFile?: string;
  /** Default: a free port. A given port that is taken is an error, never replaced. */
  readonly port?: number;
  readonly uiPort?: number;
  /** Created when missing. Default `default`. */
  readonly namespace?: string;
  readonly lives?: ServerCommand['lives'];
  readonly onProgress?: Say;
  readonly settings?: ProgramSettings;
}

/** A Temporal dev server that answers. */
export interface DevServer {
  /** `127.0.0.1:PORT` */
  readonly address: string;
  readonly uiUrl: string;
  readonly pid: number;
  /** Of the Temporal CLI. */
  readonly version: string;
  readonly logFile: string;
  /** Aborted when the process has ended, whoever ended it. */
  readonly ended: AbortSignal;
  /** SIGTERM, then SIGKILL after 5 s; in memory SIGKILL at once, there is nothing to save. May be called again. */
  stop(): Promise<void>;
}

const GRACE_MS = 5_000;
const ATTEMPTS = 5;
const SILENT: Say = () => {};

/**
 * Starts a real `temporal server start-dev`, finding or downloading the CLI first, and returns once it answers: Web UI on,
 * bound to 127.0.0.1, our search attributes registered, retention 90 days. By default it ends with this process.
 * @throws CannotStartServer with what to do about it.
 */
export async function startDevServer(options: DevServerOptions = {}): Promise<DevServer> {
  const settings = options.settings ?? readProgramSettings();
  const say = options.onProgress ?? SILENT;
  await refuseTakenPorts(options, settings);
  const program = await findServer(settings, say);
  if (program.is === 'missing') throw notFound(program);
  const log = await prepareLog(options);
  const command = { path: program.path, logFile: log.file, env: settings.env, lives: options.lives ?? 'with-parent' };
  const started = await sayWhile(say, 'starting the Temporal server', () => startOnFreePorts(options, command));
  return describeServer(started, program.version, log);
}

interface Started {
  readonly place: ServerPlace;
  readonly process: ServerProcess;
}

async function startOnFreePorts(options: DevServerOptions, command: Omit<ServerCommand, 'args'>): Promise<Started> {
  for (let attempt = 1; ; attempt += 1) {
    const place = await choosePlace(options);
    const process = await startOrExplain({ ...command, args: serverFlags(place) });
    const outcome = await prepareServer(place, process);
    if (outcome.is === 'ready') return { place, process };
    await process.end(0);
    await refuseTakenPorts(options, command);
    if (!lostPort(outcome) || attempt === ATTEMPTS) throw didNotAnswer(outcome, command.logFile);
  }
}

async function choosePlace({ port, uiPort, namespace = 'default', dbFile }: DevServerOptions): Promise<ServerPlace> {
  const free = await freePorts('port', 'uiPort');
  return { port: port ?? free.port, uiPort: uiPort ?? free.uiPort, namespace, ...(dbFile && { dbFile }) };
}

async function refuseTakenPorts(options: DevServerOptions, { env }: Pick<ProgramSettings, 'env'>): Promise<void> {
  for (const flag of ['port', 'uiPort'] as const) {
    const port = options[flag];
    if (port !== undefined && !(await isFree(port))) throw await portTaken(flag, port, env);
  }
}

async function startOrExplain(command: ServerCommand): Promise<ServerProcess> {
  try {
    return await startProcess(command);
  } catch (cause) {
    throw cannotRun(command.path, cause);
  }
}

function describeServer({ place, process }: Started, version: string, log: ServerLog): DevServer {
  return {
    address: `127.0.0.1:${place.port}`,
    uiUrl: `http://127.0.0.1:${place.uiPort}`,
    pid: process.pid,
    version,
    logFile: log.file,
    ended: process.ended,
    stop: async () => {
      await process.end(place.dbFile ? GRACE_MS : 0);
      await log.remove();
    },
  };
}
