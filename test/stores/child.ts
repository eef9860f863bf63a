import { afterEach } from '@jest/globals';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** A process of a test, and what it said. */
export interface Child {
  /** The next thing it tells. @throws when it ends, or says nothing for too long. */
  hear(): Promise<unknown>;
  say(word: string): void;
  kill(): Promise<void>;
}

export interface ChildOptions {
  /** Largest file it may write, in blocks of the shell: a disk that is full. */
  readonly fileLimit?: number;
}

/** Starts `children/NAME.ts` under plain Node. */
export function startChild(name: string, args: readonly string[], options: ChildOptions = {}): Child {
  const script = join(import.meta.dirname, 'children', `${name}.ts`);
  const command = [process.execPath, '--disable-warning=ExperimentalWarning', script, ...args];
  const limit = options.fileLimit === undefined ? '' : `ulimit -f ${options.fileLimit}; `;
  const child = spawn('sh', ['-c', `${limit}exec "$0" "$@"`, ...command], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const told = collect(child);
  return {
    hear: () => told(),
    say: (word) => child.send(word),
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    },
  };
}

/** `startChild` for the tests of this block; after each of them its children are gone. */
export function useChildren(): typeof startChild {
  const children: Child[] = [];
  afterEach(async () => {
    await Promise.all(children.splice(0).map((child) => child.kill()));
  });
  return (...started) => {
    const child = startChild(...started);
    children.push(child);
    return child;
  };
}

const PATIENCE_MS = 30_000;

function collect(child: ChildProcess): () => Promise<unknown> {
  const heard: unknown[] = [];
  let wake = () => {};
  let isGone = false;
  child.on('message', (message) => {
    heard.push(message);
    wake();
  });
  child.on('close', () => {
    isGone = true;
    wake();
  });
  return async () => {
    const deadline = setTimeout(() => wake(), PATIENCE_MS);
    if (heard.length === 0 && !isGone) await new Promise<void>((resolve) => (wake = resolve));
    clearTimeout(deadline);
    if (heard.length === 0) throw new Error(isGone ? 'The child ended without a word.' : 'The child says nothing.');
    return heard.shift();
  };
}
