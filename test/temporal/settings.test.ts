import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { readSecret, readSettings, type Environment } from '../../src/temporal/settings.ts';
import { temporaryFolders } from './temporary-folder.ts';

const makeFolder = temporaryFolders();
const HOME = '/home/nobody-here';

async function readWith(env: Environment, toml?: string) {
  if (toml === undefined) return readSettings({ HOME, ...env });
  const file = join(await makeFolder(), 'temporal.toml');
  await writeFile(file, toml);
  return readSettings({ HOME, TEMPORAL_CONFIG_FILE: file, ...env });
}

describe('stores live in the data folder unless told otherwise', () => {
  test('the data folder is .holdfast here', () => {
    const folder = resolve('.holdfast');
    expect(readSettings({ HOME })).toMatchObject({
      dataDir: folder,
      ledger: `sqlite:${folder}/ledger.db`,
      transcripts: `file:${folder}/transcripts`,
      events: `sqlite:${folder}/events.db`,
    });
  });

  test('HOLDFAST_DATA moves all of them', () => {
    expect(readSettings({ HOME, HOLDFAST_DATA: '/srv/data' })).toMatchObject({
      dataDir: '/srv/data',
      ledger: 'sqlite:/srv/data/ledger.db',
      transcripts: 'file:/srv/data/transcripts',
      events: 'sqlite:/srv/data/events.db',
    });
  });

  test.each([
    ['HOLDFAST_LEDGER', 'ledger', 'postgres://db/holdfast'],
    ['HOLDFAST_TRANSCRIPTS', 'transcripts', 's3://bucket/prefix'],
    ['HOLDFAST_EVENTS', 'events', 'sqlite:/elsewhere/events.db'],
  ])('%s is taken as it stands', (variable, store, address) => {
    expect(readSettings({ HOME, [variable]: address })).toHaveProperty(store, address);
  });
});

describe('which Temporal server is meant', () => {
  const DEFAULT = '[profile.default]\naddress = "prod:7233"\nnamespace = "orders"\n';
  test.each<[string, Environment, string | undefined, object]>([
    ['nothing set: our own', {}, undefined, { is: 'local', namespace: 'default' }],
    ['only a namespace: our own, in it', { TEMPORAL_NAMESPACE: 'x' }, undefined, { is: 'local', namespace: 'x' }],
    ['an empty address is none', { TEMPORAL_ADDRESS: '' }, undefined, { is: 'local' }],
    [
      'an address: that server',
      { TEMPORAL_ADDRESS: 'a:1' },
      undefined,
      { is: 'external', address: 'a:1', namespace: 'default' },
    ],
    ['an address without a port: 7233', { TEMPORAL_ADDRESS: 'a' }, undefined, { is: 'external', address: 'a:7233' }],
    ['a default profile: its server', {}, DEFAULT, { is: 'external', address: 'prod:7233', namespace: 'orders' }],
    ['a variable beats the profile', { TEMPORAL_ADDRESS: 'b:2' }, DEFAULT, { address: 'b:2', namespace: 'orders' }],
    ['a file without the default profile: our own', {}, '[profile.other]\naddress = "o:1"\n', { is: 'local' }],
    [
      'a named profile',
      { TEMPORAL_PROFILE: 'other' },
      '[profile.other]\naddress = "o:1"\n',
      { is: 'external', address: 'o:1' },
    ],
    [
      'a named profile without an address',
      { TEMPORAL_PROFILE: 'other' },
      '[profile.other]\nnamespace = "n"\n',
      { is: 'external', address: 'localhost:7233', namespace: 'n' },
    ],
    ['an empty variable does not beat the profile', { TEMPORAL_ADDRESS: '' }, DEFAULT, { address: 'prod:7233' }],
    [
      'a named profile that is empty',
      { TEMPORAL_PROFILE: 'other' },
      '[profile.other]\n',
      { is: 'external', address: 'localhost:7233' },
    ],
    [
      'a key turns TLS on',
      { TEMPORAL_ADDRESS: 'a:1', TEMPORAL_API_KEY: 'k' },
      undefined,
      { connectionOptions: { apiKey: 'k', tls: true } },
    ],
  ])('%s', async (_, env, toml, expected) => {
    expect((await readWith(env, toml)).temporal).toMatchObject(expected);
  });

  test('a profile that does not exist is named in the error', async () => {
    await expect(readWith({ TEMPORAL_PROFILE: 'prod' }, DEFAULT)).rejects.toThrow(
      /profile "prod".*unset TEMPORAL_PROFILE/,
    );
  });

  test('a file without any profile is called that', async () => {
    await expect(readWith({}, '')).rejects.toThrow(/has no \[profile\.NAME\] table/);
  });
});

describe('downloads go to the cache folder of the user', () => {
  test('XDG_CACHE_HOME wins', () => {
    expect(readSettings({ HOME, XDG_CACHE_HOME: '/cache' }).cacheDir).toBe('/cache/holdfast');
  });

  test('else it lies below the home folder', () => {
    expect(readSettings({ HOME }).cacheDir.startsWith(HOME)).toBe(true);
  });
});

test('an empty secret counts as none', () => {
  expect(readSecret('KEY', { KEY: '' })).toBeUndefined();
  expect(readSecret('KEY', { KEY: 'k' })).toBe('k');
});

describe('how a server is reached, as docs/connecting.md says', () => {
  const SERVER: Environment = { TEMPORAL_ADDRESS: 'a:1' };
  const PEM = 'PEM of one';
  const CLOUD = `[profile.prod]
address = "prod.acct.tmprl.cloud:7233"
namespace = "prod.acct"
api_key = "key of the file"
[profile.mtls]
address = "m:7233"
[profile.mtls.tls]
client_cert_data = "crt"
client_key_data = "key"
`;
  const bytes = (text: string) => expect.objectContaining({ length: text.length }) as unknown;
  test.each<[string, Environment, string | undefined, object]>([
    ['plain by default', SERVER, undefined, { tls: undefined, apiKey: undefined }],
    ['TLS when asked for', { ...SERVER, TEMPORAL_TLS: 'true' }, undefined, { tls: {} }],
    [
      'no TLS when that is asked for',
      { ...SERVER, TEMPORAL_TLS: 'false', TEMPORAL_API_KEY: 'k' },
      undefined,
      { tls: false },
    ],
    [
      'a certificate authority and a name of your own',
      { ...SERVER, TEMPORAL_TLS_SERVER_CA_CERT_DATA: PEM, TEMPORAL_TLS_SERVER_NAME: 'inner' },
      undefined,
      { tls: { serverRootCACertificate: bytes(PEM), serverNameOverride: 'inner' } },
    ],
    [
      'a client certificate',
      { ...SERVER, TEMPORAL_TLS_CLIENT_CERT_DATA: 'crt', TEMPORAL_TLS_CLIENT_KEY_DATA: 'keyed' },
      undefined,
      { tls: { clientCertPair: { crt: bytes('crt'), key: bytes('keyed') } } },
    ],
    ['headers', { ...SERVER, TEMPORAL_GRPC_META_TEAM: 'a' }, undefined, { metadata: { team: 'a' } }],
    ['a profile with a key', { TEMPORAL_PROFILE: 'prod' }, CLOUD, { apiKey: 'key of the file', tls: true }],
    [
      'a key of the environment beats that of the profile',
      { TEMPORAL_PROFILE: 'prod', TEMPORAL_API_KEY: 'new' },
      CLOUD,
      { address: 'prod.acct.tmprl.cloud:7233', apiKey: 'new' },
    ],
    [
      'a profile with a client certificate',
      { TEMPORAL_PROFILE: 'mtls' },
      CLOUD,
      { tls: { clientCertPair: { crt: bytes('crt') } } },
    ],
  ])('%s', async (_, env, toml, expected) => {
    expect((await readWith(env, toml)).temporal).toMatchObject({ is: 'external', connectionOptions: expected });
  });

  test.each<[string, Environment, RegExp]>([
    [
      'a file that is not there',
      { TEMPORAL_TLS_SERVER_CA_CERT_PATH: '/nowhere/ca.pem' },
      /TLS settings.*nowhere.*TEMPORAL_TLS_\*/,
    ],
    ['half a client certificate', { TEMPORAL_TLS_CLIENT_CERT_DATA: 'crt' }, /a client certificate without its key/],
  ])('%s is refused with what to look at', async (_, env, why) => {
    await expect(readWith({ ...SERVER, ...env })).rejects.toThrow(why);
  });
});
