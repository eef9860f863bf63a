import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import type { Environment } from './settings.ts';

/** How a program ended. `output` is the end of what it wrote, both streams, at most 20,000 characters. */
export type ProgramEnd =
  | { readonly is: 'exited'; readonly code: number; readonly output: string }
  | { readonly is: 'not-run'; readonly why: string }
  | { readonly is: 'stopped'; readonly output: string };

const OUTPUT_LIMIT = 20_000;

/** Runs a program to its end, without a terminal. Never throws; when `signal` fires, it and its children are killed. */
export function runProgram(
  file: string,
  args: readonly string[],
  options: { readonly env: Environment; readonly signal?: AbortSignal },
): Promise<ProgramEnd> {
  return new Promise((resolve) => {
    const ownGroup = process.platform !== 'win32';
    const child = spawn(file, args, { env: options.env, stdio: ['ignore', 'pipe', 'pipe'], detached: ownGroup });
    let output = '';
    const keep = (text: string) => (output = (output + text).slice(-OUTPUT_LIMIT));
    child.stdout.setEncoding('utf8').on('data', keep);
    child.stderr.setEncoding('utf8').on('data', keep);

    const kill = () => {
      if (child.pid === undefined) return;
      if (ownGroup) killGroup(child.pid);
      else child.kill('SIGKILL');
    };
    const end = (how: ProgramEnd) => {
      options.signal?.removeEventListener('abort', kill);
      resolve(how);
    };
    options.signal?.addEventListener('abort', kill);
    if (options.signal?.aborted) kill();
    child.once('error', (error) => {
      end({ is: 'not-run', why: error.message });
    });
    child.once('close', (code, signal) => {
      if (options.signal?.aborted) end({ is: 'stopped', output });
      else end({ is: 'exited', code: code ?? 128 + constants.signals[signal ?? 'SIGKILL'], output });
    });
  });
}

/** The last line of a program's output that says something: where tools put the reason. */
export function lastLine(output: string): string {
  const lines = output.split('\n').map((line) => line.trim());
  return lines.findLast((line) => line !== '') ?? 'it said nothing';
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Gone already.
  }
}
