import { connect, createServer, type Server } from 'node:net';

const LOCAL = '127.0.0.1';

/** A port for each name, all different, that nobody holds right now. Another process can still be quicker: the user of a port must retry. */
export async function freePorts<const Names extends readonly string[]>(
  ...names: Names
): Promise<Record<Names[number], number>> {
  const held = await Promise.all(names.map(async (name) => [name, await hold(0)] as const));
  const ports = held.map(([name, server]) => [name, (server.address() as { port: number }).port]);
  await Promise.all(held.map(([, server]) => release(server)));
  return Object.fromEntries(ports) as Record<Names[number], number>;
}

/** Whether a server could listen on the port now. */
export async function isFree(port: number): Promise<boolean> {
  try {
    await release(await hold(port));
    return true;
  } catch {
    return false;
  }
}

/** Whether anything accepts connections at `host:port` within the time. */
export async function answers(address: string, withinMs: number): Promise<boolean> {
  return (await knock(address, withinMs)).is === 'open';
}

/** Tries a bare connection to `host:port`. `why` is for people. Never throws. */
export function knock(
  address: string,
  withinMs: number,
): Promise<{ readonly is: 'open' } | { readonly is: 'closed'; readonly why: string }> {
  return new Promise((resolve) => {
    const { hostname, port } = new URL(`tcp://${address}`);
    const socket = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) });
    socket.setTimeout(withinMs);
    const closed = (why: string) => {
      socket.destroy();
      resolve({ is: 'closed', why });
    };
    socket.once('timeout', () => {
      closed(`nothing answers there in ${withinMs / 1000} s`);
    });
    socket.once('error', (error: NodeJS.ErrnoException) => {
      closed(REASONS[error.code ?? ''] ?? error.message);
    });
    socket.once('connect', () => {
      socket.destroy();
      resolve({ is: 'open' });
    });
  });
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'there is no such host',
};

function hold(port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen({ port, host: LOCAL, exclusive: true }, () => {
      resolve(server);
    });
  });
}

function release(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => {
      resolve();
    });
  });
}
