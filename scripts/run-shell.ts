import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** Where a command line runs. */
export interface Shell {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

export interface RunningShell {
  /** All it has said so far. */
  said(): string;
  /** As Ctrl-C does, and waits for the end. */
  interrupt(): Promise<void>;
}

const PATIENCE_MS = 180_000;

/** Runs a line to its end. @throws Error with all it said when it fails, or does not say what is expected. */
export async function runShell(shell: Shell, line: string, expected = /^/): Promise<void> {
  const child = open(shell, line);
  const said = listen(child);
  const code = await ended(child, line, said);
  if (code === 0 && expected.test(said())) return;
  throw new Error(`${line} ended with ${code}; expected was 0 and ${String(expected)}. It said:\n${said()}`);
}

/** What a line writes to standard output. @throws Error when it fails. */
export async function readShell(shell: Shell, line: string): Promise<string> {
  const child = open(shell, line);
  let output = '';
  child.stdout?.on('data', (text: Buffer) => (output += text.toString()));
  const said = listen(child);
  const code = await ended(child, line, said);
  if (code === 0) return output;
  throw new Error(`${line} ended with ${code}. It said:\n${said()}`);
}

/** Starts a line that stays, and waits until it says that it is ready. @throws Error when it does not. */
export async function startShell(shell: Shell, line: string, ready: RegExp): Promise<RunningShell> {
  const child = open(shell, line);
  const said = listen(child);
  const gone = ended(child, line, said);
  const isReady = new Promise<'ready'>((resolve) => {
    child.stdout?.on('data', () => {
      if (ready.test(said())) resolve('ready');
    });
  });
  if ((await Promise.race([isReady, gone])) !== 'ready') throw new Error(`${line} ended early. It said:\n${said()}`);
  return {
    said,
    async interrupt() {
      signalGroup(child, 'SIGINT');
      await gone;
    },
  };
}

/** In a group of its own, so that npx and what it runs end together. */
function open({ cwd, env }: Shell, line: string): ChildProcess {
  return spawn(line, { cwd, env, shell: true, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
}

function listen({ stdout, stderr }: ChildProcess): () => string {
  let said = '';
  for (const stream of [stdout, stderr]) stream?.on('data', (text: Buffer) => (said += text.toString()));
  return () => said;
}

async function ended(child: ChildProcess, line: string, said: () => string): Promise<number> {
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    signalGroup(child, 'SIGKILL');
  }, PATIENCE_MS);
  const [code] = (await once(child, 'close')) as [number | null];
  clearTimeout(timer);
  if (isLate) throw new Error(`${line} took more than ${PATIENCE_MS / 1000} s. It said:\n${said()}`);
  return code ?? 1;
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  // Without an id it never ran, and the group may be gone already.
  if (pid !== undefined) {
    try {
      process.kill(-pid, signal);
    } catch {
      return;
    }
  }
}
