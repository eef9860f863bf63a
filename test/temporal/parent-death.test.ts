import { afterEach, expect, test } from '@jest/globals';
import { answers } from '../../src/temporal/ports.ts';
import { isAlive } from '../../src/temporal/process-alive.ts';
import { eventually } from '../support/eventually.ts';
import { childProcesses } from './child-process.ts';
import { temporaryFolders } from './temporary-folder.ts';

interface Server {
  readonly pid: number;
  readonly address: string;
}

const startChild = childProcesses();
const left: number[] = [];

afterEach(() => {
  for (const pid of left.splice(0).filter(isAlive)) process.kill(pid, 'SIGKILL');
});

const makeFolder = temporaryFolders();

async function startServerIn(...args: string[]) {
  const child = await startChild<Server>('start-server.ts', await makeFolder(), ...args);
  left.push(child.said.pid);
  return child;
}

test.each<NodeJS.Signals>(['SIGKILL', 'SIGTERM', 'SIGINT'])(
  'the server ends when its owner gets %s',
  async (signal) => {
    const owner = await startServerIn('with-parent');
    owner.process.kill(signal);
    await eventually('the server to end', () => !isAlive(owner.said.pid), 5_000);
  },
);

test('the server ends when its owner returns without stopping it', async () => {
  const owner = await startServerIn('with-parent', 'then-return');
  await eventually('the server to end', () => !isAlive(owner.said.pid), 5_000);
});

test('a server on its own outlives its starter', async () => {
  const starter = await startServerIn('on-its-own');
  starter.process.kill('SIGKILL');
  await eventually('the starter to end', () => !isAlive(starter.process.pid!));
  expect(await answers(starter.said.address, 500)).toBe(true);
  expect(isAlive(starter.said.pid)).toBe(true);
});
