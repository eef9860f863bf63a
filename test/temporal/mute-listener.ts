import { createServer, type Server, type Socket } from 'node:net';
import { afterEach } from '@jest/globals';

/** Makes listeners on free ports that take every connection and say nothing; they close with the test. Answers the port. */
export function muteListeners(): () => Promise<number> {
  const listeners: Server[] = [];
  const sockets: Socket[] = [];
  afterEach(() => {
    for (const listener of listeners.splice(0)) listener.close();
    for (const socket of sockets.splice(0)) socket.destroy();
  });
  return async () => {
    const listener = createServer((socket) => sockets.push(socket));
    listeners.push(listener);
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    return (listener.address() as { port: number }).port;
  };
}
