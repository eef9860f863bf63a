import { homedir, platform } from 'node:os';
import { join, resolve } from 'node:path';
import { loadClientConfigProfile, toClientOptions, type ClientConnectConfig } from '@temporalio/envconfig';

/** Environment variables by name. On Windows pass `process.env` itself: only that object ignores the case of names. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Which Temporal server is meant: one the user named, or our own, found through the data folder's lock. */
export type TemporalTarget =
  | {
      readonly is: 'external';
      readonly address: string;
      readonly namespace: string;
      readonly connectionOptions: ClientConnectConfig['connectionOptions'];
    }
  | { readonly is: 'local'; readonly namespace: string };

/** Where programs are found and what they inherit. */
export interface ProgramSettings {
  /** Absolute. The user's cache folder for downloads, shared by all projects. */
  readonly cacheDir: string;
  /** The Temporal CLI the user insists on. */
  readonly cliPath?: string;
  readonly env: Environment;
}

export interface Settings extends ProgramSettings {
  /** Absolute. The project's own data: server.db, ledger.db, transcripts/, events.db, the lock. */
  readonly dataDir: string;
  /** Store addresses: `sqlite:PATH`, `file:PATH`, `postgres:…`, `s3://…`. */
  readonly ledger: string;
  readonly transcripts: string;
  readonly events: string;
  readonly temporal: TemporalTarget;
}

/**
 * Reads the environment, once per process and on its behalf: no other file in `src` may. `over` holds the variables that a
 * command line sets anew.
 * @throws Error when TEMPORAL_PROFILE or Temporal's configuration file cannot be read.
 */
export function readSettings(env: Environment = process.env, over: Environment = {}): Settings {
  return { ...readLocalSettings(env, over), temporal: readTemporalTarget({ ...env, ...over }) };
}

/** The same with the local server, whatever the environment says of Temporal: for who goes on where that cannot be read. */
export function readLocalSettings(env: Environment = process.env, over: Environment = {}): Settings {
  const dataDir = resolve(over.HOLDFAST_DATA || env.HOLDFAST_DATA || '.holdfast');
  return {
    ...readProgramSettings(env),
    dataDir,
    ledger: env.HOLDFAST_LEDGER || `sqlite:${join(dataDir, 'ledger.db')}`,
    transcripts: env.HOLDFAST_TRANSCRIPTS || `file:${join(dataDir, 'transcripts')}`,
    events: env.HOLDFAST_EVENTS || `sqlite:${join(dataDir, 'events.db')}`,
    temporal: { is: 'local', namespace: 'default' },
  };
}

/** Only what finding and starting our own server needs. Tests, demo and bench use it: they follow no profile. */
export function readProgramSettings(env: Environment = process.env): ProgramSettings {
  return {
    cacheDir: readCacheDir(env),
    ...(env.TEMPORAL_CLI_PATH && { cliPath: env.TEMPORAL_CLI_PATH }),
    env,
  };
}

/** A provider's or store's key from the environment; undefined when unset or empty. Never logged by anyone. */
export function readSecret(name: string, env: Environment = process.env): string | undefined {
  return env[name] || undefined;
}

/** The secrets that idempotency keys are made with, by name; `current` is for new actions. */
export interface KeySecretSettings {
  readonly current: string | undefined;
  readonly secrets: Readonly<Record<string, string>>;
}

// As long as the digest: RFC 2104, section 3, discourages less.
const MIN_SECRET_BYTES = 32;

/**
 * HOLDFAST_KEY_SECRETS: `name:secret`, several separated by commas, the newest first. Unset: keys are made without a secret.
 * @throws with what to write instead; the message shows no secret.
 */
export function readKeySecrets(env: Environment = process.env): KeySecretSettings {
  const pairs = (env.HOLDFAST_KEY_SECRETS ?? '').split(',').filter((pair) => pair.trim() !== '');
  const named = pairs.map((pair, at) => readKeySecret(pair.trim(), at + 1));
  const twice = named.find(([name], at) => named.findIndex(([other]) => other === name) !== at);
  if (twice) throw new Error(`HOLDFAST_KEY_SECRETS names "${twice[0]}" twice. Give every secret a name of its own.`);
  return { current: named[0]?.[0], secrets: Object.fromEntries(named) };
}

function readKeySecret(pair: string, place: number): readonly [string, string] {
  const at = pair.indexOf(':');
  const name = pair.slice(0, Math.max(0, at));
  if (!/^[\w-]{1,32}$/.test(name)) {
    throw new Error(
      `HOLDFAST_KEY_SECRETS: entry ${place} has no name. Write name:secret, e.g. k1:… of letters and digits.`,
    );
  }
  const secret = pair.slice(at + 1);
  if (Buffer.byteLength(secret) < MIN_SECRET_BYTES) {
    throw new Error(
      `HOLDFAST_KEY_SECRETS: the secret "${name}" has fewer than ${MIN_SECRET_BYTES} bytes. Make one with: openssl rand -base64 32`,
    );
  }
  return [name, secret];
}

function readCacheDir(env: Environment): string {
  if (env.XDG_CACHE_HOME) return resolve(env.XDG_CACHE_HOME, 'holdfast');
  if (platform() === 'win32' && env.LOCALAPPDATA) return join(env.LOCALAPPDATA, 'holdfast', 'cache');
  const home = env.HOME || homedir();
  return platform() === 'darwin' ? join(home, 'Library', 'Caches', 'holdfast') : join(home, '.cache', 'holdfast');
}

// As in Temporal's own tools: a profile without an address means localhost:7233, and `default` is the namespace.
function readTemporalTarget(env: Environment): TemporalTarget {
  const profile = readProfile(env);
  const namespace = profile.namespace || 'default';
  if (!profile.address && !hasProfile(env)) return { is: 'local', namespace };
  const connectionOptions = readConnectionOptions(profile);
  const address = withPort(profile.address || 'localhost');
  return { is: 'external', address, namespace, connectionOptions: { ...connectionOptions, address } };
}

function readConnectionOptions(profile: ReturnType<typeof readProfile>): ClientConnectConfig['connectionOptions'] {
  try {
    const { clientCert, clientKey } = profile.tls ?? {};
    // envconfig would leave half a pair out, and the server's refusal would not say why.
    if (Boolean(clientCert) !== Boolean(clientKey))
      throw new Error(
        `there is a client ${clientCert ? 'certificate without its key' : 'key without its certificate'}`,
      );
    return toClientOptions(profile).connectionOptions;
  } catch (cause) {
    throw new Error(
      `Cannot use the TLS settings for Temporal: ${(cause as Error).message}. Look at the TEMPORAL_TLS_* variables, or tls in the profile.`,
      { cause },
    );
  }
}

// The one that TEMPORAL_PROFILE names, or a default one that says anything.
function hasProfile(env: Environment): boolean {
  if (env.TEMPORAL_PROFILE) return true;
  return Object.keys(loadClientConfigProfile({ overrideEnvVars: definedOnly(env), disableEnv: true })).length > 0;
}

function readProfile(env: Environment) {
  try {
    return loadClientConfigProfile({ overrideEnvVars: definedOnly(env) });
  } catch (cause) {
    const profile = env.TEMPORAL_PROFILE ? ` profile "${env.TEMPORAL_PROFILE}"` : "'s configuration file";
    const file = env.TEMPORAL_CONFIG_FILE ?? 'temporal.toml in the Temporal configuration folder';
    // envconfig answers a file without any profile with a bare TypeError.
    const why = cause instanceof TypeError ? 'it has no [profile.NAME] table' : (cause as Error).message;
    throw new Error(
      `Cannot read Temporal${profile}: ${why}. Look at ${file}, or unset TEMPORAL_PROFILE and TEMPORAL_CONFIG_FILE to use the local server.`,
      { cause },
    );
  }
}

// An empty variable counts as unset.
function definedOnly(env: Environment): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => Boolean(entry[1])));
}

function withPort(address: string): string {
  return /:\d+$/.test(address) ? address : `${address}:7233`;
}
