import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { eventually } from '../support/eventually.ts';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
export const BIN = fileURLToPath(new URL('../../bin/holdfast.js', import.meta.url));
export const CONFIG = fileURLToPath(new URL('./fixtures/holdfast.config.ts', import.meta.url));

/** npx finds the command in this clone, built or not, and asks no registry for it. */
export const NPX = { npm_config_registry: 'http://127.0.0.1:9', npm_config_yes: 'false' };

export interface CliPlace {
  /** Beside PATH and HOME, which are kept; nothing else of this process's environment is. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** What it reads from standard input. */
  readonly input?: string;
}

export interface CliEnd {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunningCli {
  /** Waits until standard output matches, and gives the match. Fails when the process ends without it. */
  saw(pattern: RegExp): Promise<RegExpExecArray>;
  /** As Ctrl-C does, or another signal. */
  interrupt(signal?: NodeJS.Signals): void;
  readonly ended: Promise<CliEnd>;
}

const running = new Set<ChildProcess>();

/** Runs the real program until it ends. */
export function runCli(args: readonly string[], place: CliPlace = {}): Promise<CliEnd> {
  return startCli(args, place).ended;
}

/** Starts the real program; whoever does so calls `endClis` afterwards. */
export function startCli(args: readonly string[], place: CliPlace = {}): RunningCli {
  return startProgram(process.execPath, [BIN, ...args], place);
}

export function startProgram(
  program: string,
  args: readonly string[],
  { env, cwd = ROOT, input }: CliPlace,
): RunningCli {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(program, args, { cwd, env: { PATH, HOME, ...env } });
  running.add(child);
  const said = { stdout: '', stderr: '' };
  child.stdout.on('data', (text: Buffer) => (said.stdout += text.toString()));
  child.stderr.on('data', (text: Buffer) => (said.stderr += text.toString()));
  child.stdin.end(input ?? '');
  let code: number | null | undefined;
  const ended = new Promise<CliEnd>((resolve) => {
    child.once('close', (exitCode) => {
      code = exitCode;
      running.delete(child);
      resolve({ code: exitCode, ...said });
    });
  });
  return {
    ended,
    interrupt: (signal = 'SIGINT') => child.kill(signal),
    saw: (pattern) =>
      eventually(`${String(pattern)} of ${args.join(' ')}`, () => {
        const match = pattern.exec(said.stdout);
        if (!match && code !== undefined) throw new Error(`It ended with ${code}:\n${said.stdout}\n${said.stderr}`);
        return match ?? undefined;
      }),
  };
}

/** Ends every program that a failed test left behind. */
export async function endClis(): Promise<void> {
  const ends = [...running].map((child) => new Promise((resolve) => child.once('close', resolve)));
  for (const child of running) child.kill('SIGKILL');
  await Promise.all(ends);
}
