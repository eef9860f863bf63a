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
