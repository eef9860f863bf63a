import { findServerHere } from '../../temporal/find-server.ts';
import { lastLine, runProgram } from '../../temporal/run-program.ts';
import type { Settings } from '../../temporal/settings.ts';
import type { FoundPrograms } from './judge-programs.ts';

const ANSWER_WITHIN_MS = 5_000;

/** Looks for the programs without downloading any. */
export async function findPrograms(settings: Settings): Promise<FoundPrograms> {
  const [server, python] = await Promise.all([findServerHere(settings), findPython(settings)]);
  return {
    ...(server.is === 'found' && { temporal: server }),
    ...(python !== undefined && { python }),
    ...(settings.cliPath !== undefined && { insisted: settings.cliPath }),
    isExternal: settings.temporal.is === 'external',
  };
}

async function findPython({ env }: Settings): Promise<string | undefined> {
  const end = await runProgram('python3', ['--version'], { env, signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
  return end.is === 'exited' && end.code === 0 ? lastLine(end.output) : undefined;
}
