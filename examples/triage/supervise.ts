import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export interface TriageWorker {
  readonly dataDir: string;
  readonly address: string;
  readonly folder: string;
  readonly trackerUrl: string;
  readonly model: string;
  readonly baseURL: string | undefined;
  readonly taskQueue: string;
}

export interface Supervised {
  /** Lets the worker end, and starts no other. */
  stop(): Promise<void>;
}

/** More deaths than this in a row, each before the worker was ready, are no accident. */
const PATIENCE = 3;

/** Keeps one worker process alive: whoever kills it, another takes over. Rejects when the first cannot start. */
export async function superviseWorker(worker: TriageWorker, say: (line: string) => void): Promise<Supervised> {
  let stopping = false;
  let child = await startWorker(worker);
  say(`  worker      process ${child.pid}`);
  const supervise = async () => {
    for (let failures = 0; failures < PATIENCE;) {
      await once(child, 'close');
      if (stopping) return;
      say('  the worker is gone; starting another');
      try {
        child = await startWorker(worker);
        failures = 0;
        say(`  worker      process ${child.pid}`);
      } catch (error) {
        failures += 1;
        say(`  it did not start: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
  };
  const supervised = supervise();
  return {
    async stop() {
      stopping = true;
      child.kill('SIGTERM');
      await supervised;
    },
  };
}

async function startWorker(worker: TriageWorker): Promise<ChildProcess> {
  const script = fileURLToPath(new URL('./worker.process.ts', import.meta.url));
  const child = spawn(process.execPath, [script, JSON.stringify(worker)], { stdio: ['pipe', 'pipe', 'pipe'] });
  const errors: Buffer[] = [];
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk));
  const gone = once(child, 'close').then(() => 'gone');
  const ready = once(createInterface({ input: child.stdout }), 'line').then(() => 'ready');
  if ((await Promise.race([ready, gone])) === 'gone') throw new Error(Buffer.concat(errors).toString().trim());
  return child;
}
