import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Boundary } from './sweep-case.ts';
import type { GoOn, Reached, SweepWorkerOptions } from './worker-options.ts';

/** A worker process as the sweep sees it. */
export interface SweepWorker {
  readonly pid: number;
  /** Called each time the worker stops at a boundary it is armed with. */
  onReached(listener: (boundary: Boundary) => void): void;
  go(boundary: Boundary, how?: 'once' | 'and-stay'): void;
  /** SIGSTOP, and SIGCONT. */
  freeze(): void;
  wake(): void;
  /** SIGKILL; resolves with the signal it died of, once it is gone. */
  kill(): Promise<string>;
}

/** Where the worker's program is: in the sources, or in a copy of them with something planted. */
export type WorkerProgram = URL;

export const OWN_PROGRAM: WorkerProgram = new URL('./worker.process.ts', import.meta.url);

/** Starts a worker; resolves when it polls. @throws with what it wrote to stderr when it ends before. */
export async function startSweepWorker(program: WorkerProgram, options: SweepWorkerOptions): Promise<SweepWorker> {
  const child = spawnProgram(program, JSON.stringify(options));
  const errors = keepErrors(child);
  const died = once(child, 'close').then(([code, signal]) => String(signal ?? code));
  const ready = once(child, 'message').then(() => 'ready');
  if ((await Promise.race([ready, died])) !== 'ready')
    throw new Error(`The worker ended before it was ready.\n${errors()}`);
  const send = (message: GoOn) => void child.send(message, () => undefined);
  return {
    // It has sent a message, so it has an id.
    pid: child.pid!,
    onReached: (listener) =>
      void child.on('message', ({ reached }: Partial<Reached>) => {
        if (reached) listener(reached);
      }),
    go: (boundary, how = 'once') => {
      send({ go: boundary, ...(how === 'and-stay' && { stay: true }) });
    },
    freeze: () => void child.kill('SIGSTOP'),
    wake: () => void child.kill('SIGCONT'),
    kill: () => {
      child.kill('SIGKILL');
      return died;
    },
  };
}

/** Makes the workflow bundle once, so that workers that start together do not each make it. */
export async function warmUp(program: WorkerProgram): Promise<void> {
  const child = spawnProgram(program, 'warm');
  const errors = keepErrors(child);
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`The workflow bundle could not be made.\n${errors()}`);
}

/** More than a hundred processes load the same files. */
const COMPILED = join(tmpdir(), 'holdfast-sweep-compiled');

function spawnProgram(program: WorkerProgram, argument: string): ChildProcess {
  const env = { ...process.env, NODE_COMPILE_CACHE: COMPILED };
  return spawn(process.execPath, [fileURLToPath(program), argument], {
    env,
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
}

function keepErrors({ stderr }: ChildProcess): () => string {
  const kept: Buffer[] = [];
  stderr?.on('data', (chunk: Buffer) => void kept.push(chunk));
  return () => Buffer.concat(kept).toString();
}
