import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface HealthServer {
  readonly port: number;
  close(): Promise<void>;
}

/** Why the worker cannot take work; undefined when it can. */
export type Readiness = () => Promise<string | undefined>;

/**
 * `GET /healthz`: 200 while the process lives and answers. `GET /readyz`: 200 when it can take work, else 503; both with one
 * line of JSON. @throws when the port is taken.
 */
export async function startHealthServer(host: string, port: number, whyNotReady: Readiness): Promise<HealthServer> {
  const server = createServer((request, response) => {
    const say = (status: number, body: object) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(`${JSON.stringify(body)}\n`);
    };
    const path = request.url?.split('?')[0];
    if (path === '/healthz') say(200, { status: 'ok' });
    else if (path === '/readyz') void sayReadiness(whyNotReady, say);
    else say(404, { status: 'unknown', try: ['/healthz', '/readyz'] });
  });
  await listen(server, host, port);
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function sayReadiness(whyNotReady: Readiness, say: (status: number, body: object) => void): Promise<void> {
  const why = await whyNotReady().catch((error: unknown) => String(error));
  if (why === undefined) say(200, { status: 'ready' });
  else say(503, { status: 'not ready', why });
}

async function listen(server: Server, host: string, port: number): Promise<void> {
  try {
    server.listen(port, host);
    await once(server, 'listening');
  } catch (cause) {
    throw new Error(
      `Cannot answer /healthz on ${host}:${port}: the port is taken or not allowed. Choose another with --health-port.`,
      { cause },
    );
  }
}
