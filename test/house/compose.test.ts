import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { buildProgram } from '../../src/cli/build-program.ts';
import { parsePostgresAddress } from '../../src/stores/postgres-address.ts';
import { parseStoreAddress, refuseUnsharedStore } from '../../src/stores/store-address.ts';

// No container engine here: what is written is held against the code that it will meet.

let compose: string;
let dockerfile: string;
beforeAll(async () => {
  compose = await readFile('docker-compose.yml', 'utf8');
  dockerfile = await readFile('Dockerfile', 'utf8');
});

const match = (text: string, pattern: RegExp): string => {
  const found = pattern.exec(text)?.[1];
  if (found === undefined) throw new Error(`There is no ${String(pattern)}.`);
  return found;
};

test('the image runs a command line that holdfast takes, with a configuration that is there', async () => {
  const words = JSON.parse(match(dockerfile, /^CMD (\[.*\])$/m)) as string[];
  let heard: unknown;
  const program = buildProgram('1', ({ name }, input, flags) => {
    heard = { name, input, flags };
    return Promise.resolve();
  });
  await program.parseAsync(words, { from: 'user' });
  const config = 'examples/hello/holdfast.config.ts';
  expect(heard).toMatchObject({
    name: 'worker',
    input: { healthPort: 8080, host: '0.0.0.0', grace: '25s' },
    flags: { config },
  });
  expect(await readFile(config, 'utf8')).toContain('defineConfig');
});

test('the stores of the worker may serve a Temporal server of another container', () => {
  const address = match(compose, /TEMPORAL_ADDRESS: (temporal:7233)\n {6}HOLDFAST_DATA/);
  for (const store of ['LEDGER', 'TRANSCRIPTS', 'EVENTS']) {
    const place = match(compose, new RegExp(`HOLDFAST_${store}: (\\S+)`));
    expect(() => {
      refuseUnsharedStore(place, address);
    }).not.toThrow();
  }
});

test('ledger and events are in the database that is made for them, with a password from outside the address', () => {
  const made = match(compose, /createdb --encoding=UTF8 --template=template0 (\S+)/);
  const role = match(compose, /PGUSER: (\S+)/);
  for (const store of ['LEDGER', 'EVENTS']) {
    const place = match(compose, new RegExp(`HOLDFAST_${store}: (\\S+)`));
    expect(parsePostgresAddress(parseStoreAddress(place)).connection).toBe(`postgres://${role}@postgresql/${made}`);
  }
  expect(compose.match(/PGPASSWORD: \$\{POSTGRES_PASSWORD:-temporal\}/g)).toHaveLength(2);
});

describe('the health check', () => {
  let status = 200;
  const server = createServer((request, response) =>
    response.writeHead(request.url === '/healthz' ? status : 404).end(),
  );
  beforeAll(async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });
  afterAll(() => {
    server.close();
  });

  test.each([
    [200, 0],
    [503, 1],
  ])('answers %i with exit code %i', async (answered, code) => {
    status = answered;
    const script = match(compose, /"(fetch\(.*)"/).replace('8080', String((server.address() as AddressInfo).port));
    const run = promisify(execFile)(process.execPath, ['-e', script]);
    expect(
      await run.then(
        () => 0,
        (error: unknown) => (error as { code: number }).code,
      ),
    ).toBe(code);
  });
});
