import { describe, expect, test } from '@jest/globals';
import { connect } from '../../src/temporal/connect.ts';
import { connectWorker } from '../../src/temporal/connect-worker.ts';
import { joinOrStartServer } from '../../src/temporal/join-or-start-server.ts';
import { freePorts } from '../../src/temporal/ports.ts';
import { ServerNotReached } from '../../src/temporal/server-not-reached.ts';
import { readSettings } from '../../src/temporal/settings.ts';
import { testAddress } from '../support/rig.ts';
import { muteListeners } from './mute-listener.ts';
import { temporaryFolders } from './temporary-folder.ts';

const makeFolder = temporaryFolders();
const listenMutely = muteListeners();

function external(address: string) {
  return readSettings({ HOME: '/nobody', TEMPORAL_ADDRESS: address });
}

async function local() {
  return readSettings({ HOME: '/nobody', HOLDFAST_DATA: await makeFolder() });
}

describe.each([
  ['a client', connect],
  ['a worker', connectWorker],
])('%s', (_, connectAs) => {
  test('reaches the server it is told', async () => {
    const { connection, address, namespace } = await connectAs(external(testAddress()));
    expect({ address, namespace }).toEqual({ address: testAddress(), namespace: 'default' });
    await connection.workflowService.describeNamespace({ namespace });
    await connection.close();
  });

  test('reaches the server of the data folder', async () => {
    const settings = await local();
    const { is, server } = await joinOrStartServer({ dataDir: settings.dataDir });
    try {
      const { connection, address } = await connectAs(settings);
      expect(address).toBe(server.address);
      await connection.close();
    } finally {
      if (is === 'started') await server.stop();
    }
  });

  test('is told how to start one when the data folder has none', async () => {
    const settings = await local();
    const error = await connectAs(settings).then(String, (reason: unknown) => reason);
    expect(error).toBeInstanceOf(ServerNotReached);
    expect((error as Error).message).toMatch(/^no Temporal server runs for .* \(none was started\)\.[^]*holdfast dev/);
  });

  test('is told where nothing listens, at once', async () => {
    const { port } = await freePorts('port');
    const startedAt = performance.now();
    await expect(connectAs(external(`127.0.0.1:${port}`))).rejects.toThrow(
      new RegExp(
        `^cannot reach Temporal at 127\\.0\\.0\\.1:${port}: nothing listens there\\.\\n {2}Check: .*TEMPORAL_ADDRESS`,
      ),
    );
    expect(performance.now() - startedAt).toBeLessThan(3_000);
  });

  test('gives up on a server that does not speak, in seconds', async () => {
    const port = await listenMutely();
    const startedAt = performance.now();
    await expect(connectAs(external(`127.0.0.1:${port}`))).rejects.toThrow(
      'something listens there, but it does not speak',
    );
    expect(performance.now() - startedAt).toBeLessThan(9_000);
  });
});
