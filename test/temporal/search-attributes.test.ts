import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Connection } from '@temporalio/client';
import { findServer } from '../../src/temporal/find-server.ts';
import { freePorts } from '../../src/temporal/ports.ts';
import { findSearchAttributes, registerSearchAttributes } from '../../src/temporal/search-attributes.ts';
import { startProcess, type ServerProcess } from '../../src/temporal/server-process.ts';
import { readProgramSettings } from '../../src/temporal/settings.ts';
import { eventually } from '../support/eventually.ts';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';

const NAMES = [
  'HoldfastAgent',
  'HoldfastTaskId',
  'HoldfastStatus',
  'HoldfastWaitingFor',
  'HoldfastSpendMicros',
] as const;
const all = <Value>(value: Value) => Object.fromEntries(NAMES.map((name) => [name, value]));

let server: ServerProcess;
let folder: string;
let connection: Connection;

// A server that nobody has prepared for us, with one namespace per state.
beforeAll(async () => {
  const settings = readProgramSettings();
  const program = await findServer(settings);
  if (program.is === 'missing') throw new Error('no Temporal CLI');
  const { port } = await freePorts('port');
  folder = await mkdtemp(join(tmpdir(), 'holdfast-test-'));
  server = await startProcess({
    path: program.path,
    args: [
      'server',
      'start-dev',
      '--headless',
      '--ip',
      '127.0.0.1',
      '--port',
      `${port}`,
      ...['bare', 'full', 'odd'].flatMap((name) => ['--namespace', name]),
    ],
    logFile: join(folder, 'server.log'),
    env: settings.env,
    lives: 'with-parent',
  });
  connection = await eventually('the bare server', () =>
    Connection.connect({ address: `127.0.0.1:${port}`, connectTimeout: 500 }).catch(() => undefined),
  );
  await eventually('its namespaces', () =>
    connection.workflowService.describeNamespace({ namespace: 'odd' }).then(
      () => true,
      () => false,
    ),
  );
});

afterAll(async () => {
  await connection.close();
  await server.end(0);
  await rm(folder, { recursive: true, force: true });
});

/** The same server for somebody without operator rights, as on Temporal Cloud. */
function withoutRights(): Parameters<typeof findSearchAttributes>[0] {
  const denied = () =>
    Promise.reject(
      Object.assign(new Error('7 PERMISSION_DENIED: Request unauthorized.'), {
        code: 7,
        details: 'Request unauthorized.',
      }),
    );
  const operatorService = { listSearchAttributes: denied, addSearchAttributes: denied } as never;
  return {
    operatorService,
    workflowService: connection.workflowService,
    withDeadline: (deadline, call) => connection.withDeadline(deadline, call),
  };
}

describe('finding', () => {
  test('tells that they are missing', async () => {
    expect(await findSearchAttributes(connection, 'bare')).toEqual(all({ is: 'missing' }));
  });

  test('tells so also to those who may not list them', async () => {
    expect(await findSearchAttributes(withoutRights(), 'bare')).toEqual(all({ is: 'missing' }));
  });

  test('of an unknown namespace knows nothing, and says why', async () => {
    expect(await findSearchAttributes(connection, 'nowhere')).toEqual(
      all({ is: 'unknown', why: 'Namespace nowhere is not found.' }),
    );
  });
});

describe('registering', () => {
  test('creates them once, and everybody sees them', async () => {
    expect(await registerSearchAttributes(connection, 'full')).toEqual(all({ is: 'created' }));
    expect(await registerSearchAttributes(connection, 'full')).toEqual(all({ is: 'already-there' }));
    expect(await findSearchAttributes(connection, 'full')).toEqual(all({ is: 'present' }));
    await eventually('queries to know them', async () =>
      Object.values(await findSearchAttributes(withoutRights(), 'full')).every(({ is }) => is === 'present'),
    );
  });

  test('reports that rights are missing', async () => {
    expect(await registerSearchAttributes(withoutRights(), 'bare')).toEqual(
      all({ is: 'no-permission', why: 'Request unauthorized.' }),
    );
  });

  test('leaves one of another type alone and reports it', async () => {
    await connection.operatorService.addSearchAttributes({ namespace: 'odd', searchAttributes: { HoldfastStatus: 3 } });
    const outcomes = await registerSearchAttributes(connection, 'odd');
    expect(outcomes.HoldfastStatus).toEqual({ is: 'failed', why: 'exists as Int, must be Keyword' });
    expect(outcomes.HoldfastAgent).toEqual({ is: 'created' });
  });
});
