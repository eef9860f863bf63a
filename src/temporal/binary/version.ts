import { runProgram, lastLine } from '../run-program.ts';
import type { Environment } from '../settings.ts';

/** What a candidate for the Temporal CLI said when asked for its version. */
export type VersionAnswer =
  { readonly is: 'version'; readonly version: string } | { readonly is: 'unusable'; readonly why: string };

/** The oldest Temporal CLI we start by ourselves: the first one that all of this was tried with. */
export const OLDEST_VERSION = '1.9.0';

const ANSWER_WITHIN_MS = 5_000;

/** Asks a program whether it is the Temporal CLI and which. Never throws. */
export async function readVersion(path: string, env: Environment): Promise<VersionAnswer> {
  const end = await runProgram(path, ['--version'], { env, signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
  if (end.is === 'not-run') return { is: 'unusable', why: `cannot run ${path}: ${end.why}` };
  if (end.is === 'stopped') return { is: 'unusable', why: `${path} --version gave no answer in 5 s` };
  const version = /temporal version (\d+\.\d+\.\d+)/i.exec(end.output)?.[1];
  return version
    ? { is: 'version', version }
    : { is: 'unusable', why: `${path} is not the Temporal CLI, it says: ${lastLine(end.output)}` };
}

/** Orders versions: negative when `a` is the older one. */
export function compareVersions(a: string, b: string): number {
  const right = b.split('.').map(Number);
  const differences = a.split('.').map((part, index) => Number(part) - (right[index] ?? 0));
  return differences.find((difference) => difference !== 0) ?? 0;
}
