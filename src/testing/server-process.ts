import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { basename, extname } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { FaultProxyOptions } from './fault-proxy.ts';
import type { LocalServer } from './local-server.ts';
import type { RuleAddress } from './load-rule.ts';
import type { ModelServerOptions } from './model-server.ts';
import type { PaymentsOptions } from './payments.ts';

/** A server in a process of its own. `close` lets it end; it also ends when this process does, however that happens. */
export interface ServerProcess extends LocalServer {
  readonly pid: number;
  /** Resolves once the process is gone, whoever ended it. */
  readonly gone: Promise<void>;
  /** Sends SIGKILL and waits until the process is gone. */
  kill(): Promise<void>;
}

/** What crosses to another process: everything of the server's options but its functions. */
export type ModelProcessOptions = RuleAddress & Omit<ModelServerOptions, 'decide' | 'onRequest'>;

/** `startPayments` in a process of its own. Rejects with what it wrote to stderr when it ends before it is ready. */
export const startPaymentsProcess = (options: PaymentsOptions): Promise<ServerProcess> =>
  startServerProcess(own('payments-process'), options);

/** `startModelServer` in a process of its own; the rule is given by its address. Rejects as `startPaymentsProcess` does. */
export const startModelServerProcess = (options: ModelProcessOptions): Promise<ServerProcess> =>
  startServerProcess(own('model-server-process'), options);

/** `startFaultProxy` in a process of its own, with the faults it is given at its start. Rejects as `startPaymentsProcess` does. */
export const startFaultProxyProcess = (options: FaultProxyOptions): Promise<ServerProcess> =>
  startServerProcess(own('fault-proxy-process'), options);

// `.ts` in the sources, `.js` in the package.
const own = (name: string): URL => new URL(`./${name}${extname(import.meta.url)}`, import.meta.url);

/**
 * Starts a server of yours in a process of its own: a script whose body is `serveUntilTold`, and its options as JSON. Rejects
 * with what it wrote to stderr when it ends before it is ready.
 */
export async function startServerProcess(script: URL, options: object): Promise<ServerProcess> {
  const name = basename(script.pathname);
  const child = spawn(process.execPath, [fileURLToPath(script), JSON.stringify(options)]);
  const gone = new Promise<void>((resolve) => void child.once('close', () => resolve()));
  const url = await readUrl(child, name);
  child.stderr.on('data', (chunk: Buffer) => process.stderr.write(chunk));
  return {
    url,
    // It has printed a line, so it has an id.
    pid: child.pid ?? 0,
    gone,
    kill: () => {
      child.kill('SIGKILL');
      return gone;
    },
    close: () => {
      child.stdin.end();
      return gone;
    },
  };
}

async function readUrl(child: ChildProcessWithoutNullStreams, name: string): Promise<string> {
  const errors: string[] = [];
  const keep = (chunk: Buffer) => void errors.push(chunk.toString());
  child.stderr.on('data', keep);
  for await (const line of createInterface({ input: child.stdout })) {
    child.stderr.off('data', keep);
    return (JSON.parse(line) as LocalServer).url;
  }
  throw new Error(`${name} ended before it was ready.\n${errors.join('')}`);
}
