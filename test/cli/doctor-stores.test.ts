import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { checkStores } from '../../src/cli/doctor/check-stores.ts';
import { openEvents } from '../../src/stores/open-stores.ts';
import { readSettings } from '../../src/temporal/settings.ts';
import { PASSWORD, usePostgres } from '../stores/postgres-server.ts';
import type { StorePlace } from '../stores/store-folder.ts';

const server = usePostgres();
let dataDir: string;
let place: StorePlace;
let schema: string;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'holdfast-doctor-'));
  place = await server.makePlace();
  schema = new URL(place.address).searchParams.get('schema')!;
});

afterEach(async () => {
  await place.remove();
  await rm(dataDir, { recursive: true, force: true });
});

/** For workers of many machines. */
async function check(
  events: string,
): Promise<Readonly<Record<string, { readonly is: string; readonly says: string }>>> {
  const settings = readSettings({
    HOLDFAST_DATA: dataDir,
    HOLDFAST_LEDGER: place.address,
    HOLDFAST_TRANSCRIPTS: `file:${join(dataDir, 'transcripts')}?shared=true`,
    HOLDFAST_EVENTS: events,
  });
  const findings = await checkStores({}, settings, 'temporal.example.com:7233');
  return Object.fromEntries(findings.map((finding) => [finding.check, finding]));
}

describe('of stores in PostgreSQL', () => {
  test('the first look makes ledger and events in one schema, and says where they are without the password', async () => {
    const found = await check(place.address);

    expect(found).toMatchObject({ Ledger: { is: 'ok' }, Transcripts: { is: 'ok' }, Events: { is: 'ok' } });
    expect(found['Events']?.says).toBe(place.address.replace(PASSWORD, '…'));
    expect(await server.sql(`SELECT holds FROM ${schema}.meta ORDER BY holds`)).toEqual([
      { holds: 'events' },
      { holds: 'ledger' },
    ]);
    expect(await server.sql(`SELECT FROM ${schema}.events`)).toEqual([]);
  });

  test('a user who may not write events is told so before a run is begun', async () => {
    await check(place.address);
    await server.sql(`
      CREATE ROLE ${schema}_reader LOGIN PASSWORD 'theirs';
      GRANT USAGE ON SCHEMA ${schema} TO ${schema}_reader;
      GRANT SELECT ON ALL TABLES IN SCHEMA ${schema} TO ${schema}_reader`);
    const { Events } = await check(place.address.replace(/\/\/[^@]*@/, `//${schema}_reader:theirs@`));

    expect(Events).toMatchObject({ is: 'fail', says: expect.stringContaining('the user lacks a right') as unknown });
  });

  test('events on a local disk are refused beside them, and told where else they may be', async () => {
    const { Events } = await check(`sqlite:${join(dataDir, 'events.db')}`);

    expect(Events).toMatchObject({
      is: 'fail',
      says: expect.stringContaining('Use postgres://USER@HOST/DATABASE instead.') as unknown,
    });
  });

  test('a server without them is one row, and what it lacks', async () => {
    const { Events } = await check(place.address.replace('/postgres?', '/nowhere?'));

    expect(Events).toMatchObject({ is: 'fail', says: expect.stringContaining('there is no such database') as unknown });
    expect(await openEvents(place.address, { creates: false }).read('a', 0)).toEqual([]);
  });
});
