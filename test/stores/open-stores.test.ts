import { expect, test } from '@jest/globals';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { openEvents, openLedger, openTranscripts } from '../../src/stores/open-stores.ts';
import { parseStoreAddress, refuseUnsharedStore, withoutPassword } from '../../src/stores/open-stores.ts';
import { parsePostgresAddress } from '../../src/stores/postgres-address.ts';
import { makeFolder, removeFolder } from './store-folder.ts';

test.each([
  ['sqlite:ledger.db', { scheme: 'sqlite', path: 'ledger.db', options: '', shared: false }],
  [
    'sqlite:/data/my ledger.db?shared=true',
    { scheme: 'sqlite', path: '/data/my ledger.db', options: 'shared=true', shared: true },
  ],
  [
    'file:.holdfast/transcripts?shared=false',
    { scheme: 'file', path: '.holdfast/transcripts', options: 'shared=false', shared: false },
  ],
  ['sqlite:C:\\data\\ledger.db', { scheme: 'sqlite', path: 'C:\\data\\ledger.db', options: '', shared: false }],
  ['postgres://user@host/db', { scheme: 'postgres', path: '//user@host/db', options: '', shared: false }],
  [
    'postgres://host/db?schema=one&sslmode=verify-full',
    { scheme: 'postgres', path: '//host/db', options: 'schema=one&sslmode=verify-full', shared: false },
  ],
])('%s is read as an address', (address, parsed) => {
  expect(parseStoreAddress(address)).toEqual(parsed);
});

test.each([
  ['./ledger.db', 'Cannot open store: "./ledger.db" is not an address. Use SCHEME:PATH'],
  ['', 'Cannot open store: "" is not an address'],
  ['sqlite:', 'Cannot open store: "sqlite:" is not an address'],
  ['sqlite:?shared=true', 'is not an address'],
  ['C:\\data\\ledger.db', 'is not an address'],
  ['sqlite:ledger.db?shard=true', 'Cannot open store: unknown option "?shard=true". Use ?shared=true or nothing.'],
])('%s is not an address', (address, message) => {
  expect(() => parseStoreAddress(address)).toThrow(message);
});

test.each([
  [openLedger, 'ftp:x', 'Cannot open store: unknown scheme "ftp:". Use sqlite:PATH or postgres://USER@HOST/DATABASE.'],
  [
    openLedger,
    'file:x',
    'Cannot open store: unknown scheme "file:". Use sqlite:PATH or postgres://USER@HOST/DATABASE.',
  ],
  [openLedger, 'constructor:x', 'Cannot open store: unknown scheme "constructor:".'],
  [openTranscripts, 'sqlite:x', 'Cannot open store: unknown scheme "sqlite:". Use file:PATH.'],
  [openTranscripts, 'postgres://host/db', 'Cannot open store: unknown scheme "postgres:". Use file:PATH.'],
  [openEvents, 's3:x', 'unknown scheme "s3:". Use sqlite:PATH or postgres://USER@HOST/DATABASE.'],
  [openEvents, 'file:x', 'unknown scheme "file:". Use sqlite:PATH or postgres://USER@HOST/DATABASE.'],
])('%p refuses %s', (open, address, message) => {
  expect(() => open(address)).toThrow(message);
});

test.each(['sqlite:x', 'postgres://host/db', 'postgresql://host/db?schema=one', 'postgres:db'])(
  '%s opens as a ledger and as events',
  async (address) => {
    await Promise.all([openLedger(address).close(), openEvents(address).close()]);
  },
);

test.each([
  ['postgres:'],
  ['postgres://host:port/db'],
  ['postgres://ann:p/w@host/db'],
  ['postgres://ann:p#w@host/db'],
  ['postgres://ann:12?w@host/db'],
  ['postgres://host/db?shared=true'],
  ['postgres://host/db?password=p/w'],
  ['postgres://host/db?schema=public;drop'],
  ['postgres://host/db?schema=pg_catalog'],
  ['postgres://host/db?sslmode=prefer'],
])('%s is no address of a ledger, and the message shows no password', (address) => {
  const open = () => openLedger(address);

  expect(open).toThrow(/^Cannot open store: .*(Use|Known)/);
  expect(open).not.toThrow(/p\/w|p#w|[?]w|12/);
});

test.each([
  ['postgres://ann:secret@host:5432/db?schema=a', 'postgres://ann:…@host:5432/db?schema=a'],
  ['postgres://ann:s@e/c?r#e:t@host/db', 'postgres://ann:…@host/db'],
  ['postgres://:secret@host/db', 'postgres://:…@host/db'],
  ['postgres://ann@host:5432/db', 'postgres://ann@host:5432/db'],
  ['postgres://host:5432/db', 'postgres://host:5432/db'],
  ['postgres://host/db?password=secret&schema=a', 'postgres://host/db?password=…&schema=a'],
  ['postgres:ann:secret@host', 'postgres:ann:…@host'],
  ['//ann:secret@host/db', '//ann:…@host/db'],
  ['s3://key:secret@bucket/prefix', 's3://key:…@bucket/prefix'],
  ['sqlite:C:\\data\\a@b.db', 'sqlite:C:\\data\\a@b.db'],
])('%s is shown as %s', (address, shown) => {
  expect(withoutPassword(address)).toBe(shown);
});

test.each([
  ['postgres://ann@host/db', 'postgres://ann@host/db', 'holdfast'],
  ['postgresql://ann@host/db?schema=two', 'postgres://ann@host/db', 'two'],
  ['postgres:db', 'postgres:///db', 'holdfast'],
  ['postgres:///db?host=%2Frun%2Fpostgresql', 'postgres:///db?host=%2Frun%2Fpostgresql', 'holdfast'],
  ['postgres://host/db?sslmode=require', 'postgres://host/db?sslmode=verify-full', 'holdfast'],
])('%s is, for the driver, %s and schema %s', (address, connection, schema) => {
  expect(parsePostgresAddress(parseStoreAddress(address))).toMatchObject({ connection, schema });
});

test('an address without and with ?shared=true is the same store', async () => {
  const folder = await makeFolder();
  const [one, other] = [openLedger(`sqlite:${folder}/l.db`), openLedger(`sqlite:${folder}/l.db?shared=true`)];

  expect(await one.id()).toBe(await other.id());
  await Promise.all([one.close(), other.close()]);
  await removeFolder(folder);
});

test('opening touches nothing before the first call', async () => {
  const folder = await makeFolder();
  await openLedger(`sqlite:${join(folder, 'stores', 'l.db')}`).close();

  expect(existsSync(join(folder, 'stores'))).toBe(false);
  await removeFolder(folder);
});

test.each([
  ['sqlite:l.db', 'localhost:7233'],
  ['sqlite:l.db', 'LOCALHOST'],
  ['sqlite:l.db', '127.0.0.1:7233'],
  ['sqlite:l.db', '127.9.9.9'],
  ['sqlite:l.db', '[::1]:7233'],
  ['sqlite:l.db', '::1'],
  ['file:t', 'http://localhost:7233/'],
  ['sqlite:l.db?shared=true', 'temporal.example.com:7233'],
  ['file:t?shared=true', 'temporal.example.com:7233'],
  ['postgres://host/db', 'temporal.example.com:7233'],
  ['postgresql://localhost/db?schema=one', 'temporal.example.com:7233'],
])('%s may serve Temporal at %s', (address, temporalAddress) => {
  expect(() => refuseUnsharedStore(address, temporalAddress)).not.toThrow();
});

test.each([
  ['sqlite:l.db', 'temporal.example.com:7233'],
  ['sqlite:l.db?shared=false', '10.0.0.7:7233'],
  ['file:t', 'ns.acct.tmprl.cloud:7233'],
  ['sqlite:l.db', '127.0.0.1.example.com:7233'],
  ['sqlite:l.db', 'localhost.example.com:7233'],
  ['sqlite:l.db', 'http://example.com/localhost'],
  ['sqlite:l.db', 'example.com:localhost'],
  ['sqlite:l.db', '[2001:db8::1]:7233'],
  ['sqlite:l.db', '2001:db8::127.0.0.1'],
  ['sqlite:l.db', '0.0.0.0:7233'],
  ['sqlite:l.db', ''],
])('%s may not serve Temporal at %s', (address, temporalAddress) => {
  expect(() => refuseUnsharedStore(address, temporalAddress)).toThrow(
    `Cannot use store ${address} with Temporal at ${temporalAddress}: workers on other machines would not see it. ` +
      (address.startsWith('sqlite:') ? 'Use postgres://USER@HOST/DATABASE instead. ' : '') +
      `If every worker runs on this machine, say so with ${address.split('?')[0] ?? ''}?shared=true.`,
  );
});
