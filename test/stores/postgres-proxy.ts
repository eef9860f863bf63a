import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** What is done with the next COMMIT: passed on; lost on its way; or done, and its answer lost. */
type CommitFate = 'passed' | 'question-lost' | 'answer-lost';

/** A wire to the server that a test can damage. */
export interface PostgresProxy {
  readonly port: number;
  /** Of the next COMMIT. `thenDown`: after it the server is out of reach. */
  spoilCommit(fate: CommitFate, thenDown?: 'then-down'): void;
  /** Whether new connections come through. */
  setDown(isDown: boolean): void;
  /** From now on nothing comes through in any direction, and nobody says so. */
  fallSilent(): void;
  close(): Promise<void>;
}

// A simple query as it stands on the wire: type, length, text.
const COMMIT = Buffer.from('Q\0\0\0\x0bCOMMIT\0');

export async function startProxy(serverPort: number): Promise<PostgresProxy> {
  const sockets = new Set<Socket>();
  let fate: CommitFate = 'passed';
  let goesDown = false;
  let isDown = false;
  let isSilent = false;

  function join(client: Socket): void {
    if (isDown) return void client.destroy();
    const upstream = connect(serverPort, '127.0.0.1');
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => (client.destroy(), upstream.destroy()));
    }
    let losesAnswer = false;
    client.on('data', (data) => {
      if (isSilent) return;
      const own = data.includes(COMMIT) ? fate : 'passed';
      if (own !== 'passed') {
        fate = 'passed';
        isDown = goesDown;
      }
      if (own === 'question-lost') return void client.destroy();
      losesAnswer = own === 'answer-lost';
      upstream.write(data);
    });
    upstream.on('data', (data) => {
      if (isSilent) return;
      if (losesAnswer) client.destroy();
      else client.write(data);
    });
  }

  const server = createServer(join);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    spoilCommit(next, thenDown) {
      fate = next;
      goesDown = thenDown !== undefined;
    },
    setDown: (down) => void (isDown = down),
    fallSilent: () => void (isSilent = true),
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
