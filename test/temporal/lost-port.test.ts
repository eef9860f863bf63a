import { createServer, type Server } from 'node:net';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import * as ports from '../../src/temporal/ports.ts';

let rival: Server;
let rivalPort: number;
const chosen: number[] = [];

// The first choice of ports is lost: the rival was quicker.
jest.unstable_mockModule('../../src/temporal/ports.ts', () => ({
  ...ports,
  freePorts: async () => {
    const free = await ports.freePorts('port', 'uiPort');
    const choice = chosen.length === 0 ? { ...free, port: rivalPort } : free;
    chosen.push(choice.port);
    return choice;
  },
}));
const { startDevServer } = await import('../../src/temporal/dev-server.ts');

beforeAll(async () => {
  rival = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => rival.listen(0, '127.0.0.1', resolve));
  rivalPort = (rival.address() as { port: number }).port;
});

afterAll(() => {
  rival.close();
});

test('a free port that is lost before the server takes it is replaced by another', async () => {
  const server = await startDevServer();
  await server.stop();
  expect(chosen).toHaveLength(2);
  expect(server.address).toBe(`127.0.0.1:${chosen[1]}`);
});
