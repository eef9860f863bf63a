import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import { prepareDataFolder, readLock, takeLock, type ServerRecord } from '../../src/temporal/data-folder.ts';
import { joinOrStartServer, type LocalServer } from '../../src/temporal/join-or-start-server.ts';
import { isAlive } from '../../src/temporal/process-alive.ts';
import { eventually } from '../support/eventually.ts';
import { childProcesses } from './child-process.ts';
import { muteListeners } from './mute-listener.ts';
import { temporaryFolders } from './temporary-folder.ts';

interface Said {
  readonly is: 'joined' | 'started';
  readonly pid: number;
  readonly address: string;
}

const started: LocalServer[] = [];
const DEAD_PID = 2 ** 22 + 1;
const record = (change: Partial<ServerRecord> = {}) => ({
  pid: process.pid,
  address: '127.0.0.1:1',
  uiUrl: 'http://127.0.0.1:2',
  startedAt: 0,
  version: '1.9.1',
  ...change,
});

afterEach(async () => {
  for (const local of started.splice(0)) if (local.is === 'started') await local.server.stop();
});

// Registered after the stop above: hooks run in the order they are written, and a server needs its folder to the end.
const makeFolder = temporaryFolders();
const startChild = childProcesses();
const listenMutely = muteListeners();

async function joinOrStart(dataDir: string): Promise<LocalServer> {
  const local = await joinOrStartServer({ dataDir });
  started.push(local);
  return local;
}

async function folderWithLock(content: unknown): Promise<string> {
  const dataDir = await makeFolder();
  await writeFile(join(dataDir, 'lock'), typeof content === 'string' ? content : JSON.stringify(content));
  return dataDir;
}

describe('one server per data folder', () => {
  test('the second joins the first, and finds it through the lock', async () => {
    const dataDir = await makeFolder();
    const first = await joinOrStart(dataDir);
    const second = await joinOrStart(dataDir);
    expect([first.is, second.is]).toEqual(['started', 'joined']);
    expect(second.server.address).toBe(first.server.address);
    expect(JSON.parse(await readFile(join(dataDir, 'lock'), 'utf8'))).toMatchObject({
      pid: first.server.pid,
      address: first.server.address,
      uiUrl: first.server.uiUrl,
      startedAt: expect.any(Number),
      version: first.server.version,
    });
  });

  test('of several processes that come at once, one starts and the others join it', async () => {
    const dataDir = await makeFolder();
    const children = await Promise.all([1, 2, 3].map(() => startChild<Said>('join-or-start.ts', dataDir)));
    expect(children.map(({ said }) => said.is).sort()).toEqual(['joined', 'joined', 'started']);
    expect(new Set(children.map(({ said }) => said.address)).size).toBe(1);
  });

  test('after kill -9 of the owner the next one starts anew on the same data', async () => {
    const dataDir = await makeFolder();
    const owner = await startChild<Said>('join-or-start.ts', dataDir);
    owner.process.kill('SIGKILL');
    await eventually('the owner to end', () => !isAlive(owner.process.pid!));
    const next = await joinOrStart(dataDir);
    expect(next.is).toBe('started');
    expect(next.server.pid).not.toBe(owner.said.pid);
  });

  test('after a stop the lock is gone', async () => {
    const dataDir = await makeFolder();
    const local = await joinOrStart(dataDir);
    if (local.is === 'started') await local.server.stop();
    expect(await readLock(dataDir)).toEqual({ is: 'none' });
  });

  test('a start that fails gives the lock back', async () => {
    const dataDir = await makeFolder();
    await writeFile(join(dataDir, 'server.db'), 'not a database, '.repeat(500));
    await expect(joinOrStart(dataDir)).rejects.toThrow('file is not a database');
    expect(await readLock(dataDir)).toEqual({ is: 'none' });
  });
});

describe('a lock nobody stands behind is taken over', () => {
  test.each<[string, unknown]>([
    ['its server is gone', { is: 'running', ...record({ pid: DEAD_PID }) }],
    ['who wanted to start is gone', { is: 'starting', pid: DEAD_PID }],
    ['it is half written', '{"is":"runn'],
    ['it is something else', { hello: 'world' }],
  ])('%s', async (_, content) => {
    const dataDir = await folderWithLock(content);
    expect((await readLock(dataDir)).is).toBe('stale');
    expect(await takeLock(dataDir, { evenEnding: false })).toEqual({ is: 'mine' });
  });

  test('its server lives but its owner is gone: that server is about to end, nobody joins it', async () => {
    const address = `127.0.0.1:${await listenMutely()}`;
    const dataDir = await folderWithLock({ is: 'running', ...record({ address, owner: DEAD_PID }) });
    expect((await readLock(dataDir)).is).toBe('ending');
  });

  test('its process lives but does not answer: first it gets the time a server takes to end', async () => {
    const dataDir = await folderWithLock({ is: 'running', ...record() });
    expect((await readLock(dataDir)).is).toBe('ending');
    const said: string[] = [];
    const local = await joinOrStartServer({ dataDir, onProgress: (line) => said.push(line) });
    started.push(local);
    expect(local.is).toBe('started');
    expect(said[0]).toBe('the last server here is ending …');
  });
});

describe('a lock somebody stands behind is respected', () => {
  test('a living server that answers', async () => {
    const address = `127.0.0.1:${await listenMutely()}`;
    const dataDir = await folderWithLock({ is: 'running', ...record({ address }) });
    const local = await joinOrStart(dataDir);
    expect(local).toEqual({ is: 'joined', server: record({ address }) });
  });

  test('a living process that is about to start one', async () => {
    const dataDir = await folderWithLock({ is: 'starting', pid: process.ppid });
    expect(await takeLock(dataDir, { evenEnding: true })).toEqual({ is: 'starting', pid: process.ppid });
  });

  test('of many that want it at once, one gets it', async () => {
    const dataDir = await folderWithLock({ is: 'starting', pid: DEAD_PID });
    const taken = await Promise.all(Array.from({ length: 20 }, () => takeLock(dataDir, { evenEnding: false })));
    expect(taken.filter(({ is }) => is === 'mine')).toHaveLength(1);
  });
});

test('the data folder is for its user only, and git does not see it', async () => {
  const dataDir = join(await makeFolder(), 'deep', '.holdfast');
  await prepareDataFolder(dataDir);
  expect((await stat(dataDir)).mode & 0o077).toBe(0);
  expect(await readFile(join(dataDir, '.gitignore'), 'utf8')).toBe('*\n');
});
