import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Effect } from '../../src/contracts/effect.ts';

export interface RefundWorkerOptions {
  readonly dataDir: string;
  readonly address: string;
  readonly taskQueue: string;
  readonly paymentsUrl: string;
  readonly effect: Effect;
  readonly timeout: `${number}s`;
  readonly grace?: `${number}s`;
  /** The model asks for 49, and after the answer for 54.95. */
  readonly paysTwice?: boolean;
}

export interface WorkerProcess {
  readonly pid: number;
  signal(signal: NodeJS.Signals): void;
  /** Kills it with -9 and waits until it is gone. */
  kill(): Promise<void>;
  /** Resolves with the exit code, or the signal's name, once the process has ended. */
  readonly ended: Promise<number | string>;
}

/** Starts the worker that the refund tests kill; resolves when it polls. */
export async function startRefundWorker(options: RefundWorkerOptions): Promise<WorkerProcess> {
  const script = fileURLToPath(new URL('./refund-worker.process.ts', import.meta.url));
  const child = spawn(process.execPath, [script, JSON.stringify(options)], { stdio: ['ignore', 'pipe', 'pipe'] });
  const errors: Buffer[] = [];
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk));
  const ended = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | string);
  const ready = once(createInterface({ input: child.stdout }), 'line').then(() => 'ready');
  if ((await Promise.race([ready, ended])) !== 'ready') {
    throw new Error(`The worker ended before it was ready.\n${Buffer.concat(errors).toString()}`);
  }
  return {
    // It has printed a line, so it has an id.
    pid: child.pid!,
    signal: (signal) => void child.kill(signal),
    ended,
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
