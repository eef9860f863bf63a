import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach } from '@jest/globals';

/** A process of its own that has said its one line of JSON. */
export interface Child<Said> {
  readonly said: Said;
  readonly process: ChildProcess;
}

/** Starts scripts of `children/`; those still running after the test are killed. */
export function childProcesses(): <Said>(script: string, ...args: string[]) => Promise<Child<Said>> {
  const started: ChildProcess[] = [];
  afterEach(() => {
    for (const child of started.splice(0)) child.kill('SIGKILL');
  });
  return async <Said>(script: string, ...args: string[]) => {
    const path = fileURLToPath(new URL(`./children/${script}`, import.meta.url));
    const child = spawn(process.execPath, ['--no-warnings', path, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
    started.push(child);
    for await (const line of createInterface({ input: child.stdout })) {
      return { said: JSON.parse(line) as Said, process: child };
    }
    throw new Error(`${script} ended without a word.`);
  };
}
