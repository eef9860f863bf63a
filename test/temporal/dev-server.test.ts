import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { defineSearchAttributeKey } from '@temporalio/common';
import { startDevServer, type DevServer, type DevServerOptions } from '../../src/temporal/dev-server.ts';
import { answers, freePorts } from '../../src/temporal/ports.ts';
import { isAlive } from '../../src/temporal/process-alive.ts';
import { readProgramSettings } from '../../src/temporal/settings.ts';
import { eventually } from '../support/eventually.ts';
import { muteListeners } from './mute-listener.ts';
import { temporaryFolders } from './temporary-folder.ts';

const servers: DevServer[] = [];
const connections: Connection[] = [];

afterEach(async () => {
  await Promise.all(connections.splice(0).map((connection) => connection.close()));
  await Promise.all(servers.splice(0).map((server) => server.stop()));
});

// Registered after the stop above: hooks run in the order they are written, and a server needs its folder to the end.
const makeFolder = temporaryFolders();
const listenMutely = muteListeners();

async function start(options: DevServerOptions = {}): Promise<DevServer> {
  const server = await startDevServer(options);
  servers.push(server);
  return server;
}

async function connectTo({ address }: DevServer): Promise<Client> {
  const connection = await Connection.connect({ address });
  connections.push(connection);
  return new Client({ connection });
}

const startRun = (client: Client, workflowId: string) =>
  client.workflow.start('agentRun', {
    taskQueue: 'nobody-listens',
    workflowId,
    typedSearchAttributes: [
      { key: defineSearchAttributeKey('HoldfastAgent', 'KEYWORD'), value: 'support' },
      { key: defineSearchAttributeKey('HoldfastWaitingFor', 'KEYWORD_LIST'), value: ['outcome'] },
      { key: defineSearchAttributeKey('HoldfastSpendMicros', 'INT'), value: 4100 },
    ],
  });

describe('a started server', () => {
  test('answers at once: runs with our search attributes, the Web UI, 90 days of retention', async () => {
    const server = await start();
    const client = await connectTo(server);
    await startRun(client, 'run-1');
    expect((await fetch(server.uiUrl)).status).toBe(200);
    const { config } = await client.workflowService.describeNamespace({ namespace: 'default' });
    expect(Number(config!.workflowExecutionRetentionTtl!.seconds)).toBe(90 * 24 * 3600);
  });

  test('listens on this machine only', async () => {
    const server = await start();
    expect(server.address).toMatch(/^127\.0\.0\.1:\d+$/);
    expect(server.uiUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  });

  test('makes the namespace that is asked for', async () => {
    const client = await connectTo(await start({ namespace: 'orders' }));
    const { config } = await client.workflowService.describeNamespace({ namespace: 'orders' });
    expect(Number(config!.workflowExecutionRetentionTtl!.seconds)).toBe(90 * 24 * 3600);
  });

  test('does not follow the Temporal variables of its user', async () => {
    const env = { ...process.env, TEMPORAL_NAMESPACE: 'prod', TEMPORAL_ADDRESS: 'prod:7233', TEMPORAL_ENV: 'prod' };
    const client = await connectTo(await start({ settings: readProgramSettings(env) }));
    const { namespaces } = await client.workflowService.listNamespaces({});
    expect(namespaces.map(({ namespaceInfo }) => namespaceInfo!.name).sort()).toEqual(['default', 'temporal-system']);
  });

  test('says within two seconds what is going on', async () => {
    const startedAt = performance.now();
    const said: number[] = [];
    await start({ onProgress: () => said.push(performance.now() - startedAt) });
    expect(said[0]).toBeLessThan(2_000);
  });

  test('writes what it says to server.log in the data folder', async () => {
    const dataDir = await makeFolder();
    const server = await start({ dataDir });
    expect(server.logFile).toBe(join(dataDir, 'server.log'));
    expect(await readFile(server.logFile, 'utf8')).toContain(server.address.replace('127.0.0.1', ''));
  });

  test('gives several at the same time ports of their own', async () => {
    const started = await Promise.all([start(), start(), start()]);
    const used = started.flatMap(({ address, uiUrl }) => [address, uiUrl.replace('http://', '')]);
    expect(new Set(used).size).toBe(6);
  });
});

describe('stopping', () => {
  test.each<[string, () => Promise<DevServerOptions>]>([
    ['in memory', () => Promise.resolve({})],
    ['on a file', async () => ({ dbFile: join(await makeFolder(), 'server.db') })],
  ])('ends the process of a server %s, and may be repeated', async (_, options) => {
    const server = await start(await options());
    await server.stop();
    expect(isAlive(server.pid)).toBe(false);
    expect(server.ended.aborted).toBe(true);
    expect(await answers(server.address, 500)).toBe(false);
    await server.stop();
  });

  test('a run on a file is still there after kill -9 and a new start on the same ports', async () => {
    const dbFile = join(await makeFolder(), 'server.db');
    const { port, uiPort } = await freePorts('port', 'uiPort');
    const first = await start({ dbFile, port, uiPort });
    await startRun(await connectTo(first), 'survivor');
    process.kill(first.pid, 'SIGKILL');
    await eventually('the end of the server to be noticed', () => first.ended.aborted);

    const second = await start({ dbFile, port, uiPort });
    const description = await (await connectTo(second)).workflow.getHandle('survivor').describe();
    expect(description.status.name).toBe('RUNNING');
  });
});

describe('a port that was asked for and is taken', () => {
  test('by another Temporal: the error says so and offers to use it', async () => {
    const holder = await start();
    await startRun(await connectTo(holder), 'run-1');
    const port = Number(holder.address.split(':')[1]);
    const text = await eventually('the run to be counted', async () => {
      const message = await start({ port }).then(
        () => 'started',
        (error: unknown) => (error as Error).message,
      );
      return message.includes('1 run)') && message;
    });
    expect(text).toBe(
      [
        `cannot start the server: port ${port} is taken by another Temporal (namespace default, 1 run).`,
        `  Use it:       holdfast dev --address 127.0.0.1:${port}`,
        `  Or another:   holdfast dev --port ${port + 100}`,
      ].join('\n'),
    );
  });

  test('by another program: the error names it', async () => {
    const port = await listenMutely();
    // Who may not look into other processes is told less.
    await expect(start({ port })).rejects.toThrow(
      process.platform === 'linux'
        ? `port ${port} is taken by node (pid ${process.pid}).\n  Or another:   holdfast dev --port ${port + 100}`
        : `port ${port} is taken by `,
    );
  });

  test('for the Web UI: the error says which flag helps', async () => {
    const uiPort = await listenMutely();
    await expect(start({ uiPort })).rejects.toThrow(
      new RegExp(`Web UI port ${uiPort} is taken by [^]*holdfast dev --ui-port ${uiPort + 100}`),
    );
  });
});

test('a server that ends while it starts is reported with its own words', async () => {
  const folder = await makeFolder();
  await writeFile(join(folder, 'server.db'), 'not a database, '.repeat(500));
  await expect(start({ dbFile: join(folder, 'server.db') })).rejects.toThrow(
    /it ended while starting\.[^]*file is not a database[^]*Log: .*server\.log/,
  );
});

test('a folder that cannot be written is reported with the way out', async () => {
  const folder = await makeFolder();
  await writeFile(join(folder, 'file'), '');
  await expect(start({ dbFile: join(folder, 'file', 'server.db') })).rejects.toThrow(
    /cannot write to .*[^]*export HOLDFAST_DATA=/,
  );
});
