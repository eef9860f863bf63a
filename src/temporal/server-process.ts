import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, renameSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Environment } from './settings.ts';

/** A started `temporal` process, not yet known to answer. */
export interface ServerProcess {
  readonly pid: number;
  /** Aborted when the process has ended, for whatever reason. */
  readonly ended: AbortSignal;
  /** What this process, not an earlier one, wrote to the log. */
  readLog(): Promise<string>;
  /** Asks it to end, and after the grace makes it. Returns when it is gone; may be called again. */
  end(graceMs: number): Promise<void>;
}

export interface ServerCommand {
  readonly path: string;
  readonly args: readonly string[];
  readonly logFile: string;
  readonly env: Environment;
  /** `with-parent`: ends when this process does, even by kill -9. `on-its-own`: stays until somebody ends it. */
  readonly lives: 'with-parent' | 'on-its-own';
}

const WATCHDOG = fileURLToPath(new URL(`./watchdog.process${extname(import.meta.url)}`, import.meta.url));
const LOG_LIMIT_BYTES = 5_000_000;

/** Starts the server. It gets a process group of its own: Ctrl-C is for its owner, who ends it last. */
export async function startProcess(command: ServerCommand): Promise<ServerProcess> {
  const log = openLog(command.logFile);
  const child = spawn(command.path, command.args, {
    detached: true,
    stdio: ['ignore', log.fd, log.fd],
    env: withoutTemporalVariables(command.env),
  });
  closeSync(log.fd);
  const ended = new AbortController();
  child.once('exit', () => {
    ended.abort();
  });
  const pid = await spawned(child);
  if (command.lives === 'with-parent') watch(pid, ended.signal);
  child.unref();
  return {
    pid,
    ended: ended.signal,
    readLog: () => readFrom(command.logFile, log.from),
    end: (graceMs) => endProcess(child, ended.signal, graceMs),
  };
}

async function endProcess(child: ChildProcess, ended: AbortSignal, graceMs: number): Promise<void> {
  if (ended.aborted) return;
  const gone = new Promise((resolve) => {
    ended.addEventListener('abort', resolve, { once: true });
  });
  child.ref();
  if (graceMs > 0) child.kill('SIGTERM');
  const force = setTimeout(() => child.kill('SIGKILL'), graceMs);
  await gone;
  clearTimeout(force);
}

function watch(pid: number, ended: AbortSignal): void {
  const watchdog = spawn(process.execPath, [WATCHDOG, `${pid}`], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  // Killed, not let go: the server's id may soon belong to somebody else.
  const dismiss = () => watchdog.kill('SIGKILL');
  watchdog.stdin.on('error', () => {});
  watchdog.once('exit', () => {
    ended.removeEventListener('abort', dismiss);
  });
  if (ended.aborted) dismiss();
  ended.addEventListener('abort', dismiss);
  watchdog.unref();
  // A pipe is a socket; only its type does not say so.
  (watchdog.stdin as unknown as Pick<Socket, 'unref'>).unref();
}

function openLog(file: string): { fd: number; from: number } {
  const sizeBytes = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (sizeBytes > LOG_LIMIT_BYTES) renameSync(file, `${file}.old`);
  return { fd: openSync(file, 'a'), from: sizeBytes > LOG_LIMIT_BYTES ? 0 : sizeBytes };
}

async function readFrom(file: string, from: number): Promise<string> {
  const handle = await open(file);
  try {
    const { size } = await handle.stat();
    const { buffer } = await handle.read(Buffer.alloc(Math.max(0, size - from)), { position: from });
    return buffer.toString('utf8');
  } finally {
    await handle.close();
  }
}

// The CLI reads its flags' defaults from them; ours are complete, and the user's point to another server.
function withoutTemporalVariables(env: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.toUpperCase().startsWith('TEMPORAL_')));
}

function spawned(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('spawn', () => {
      if (child.pid !== undefined) resolve(child.pid);
    });
    child.once('error', reject);
  });
}
