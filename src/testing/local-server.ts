import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { text } from 'node:stream/consumers';

/** A running server on 127.0.0.1. `close` ends open connections too; whatever they waited for is dropped. */
export interface LocalServer {
  readonly url: string;
  close(): Promise<void>;
}

/** A request whose body has come in whole. */
export interface LocalRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export type Handle = (request: LocalRequest, response: ServerResponse) => Promise<void>;

/** Serves on a free port, or on the one given. @throws when that port is taken. */
export const listen = (handle: Handle, port = 0): Promise<LocalServer> =>
  serve((incoming, response) => void answer(incoming, response, handle), port);

/** As `listen`, for who reads the request itself. */
export async function serve(listener: RequestListener, port = 0): Promise<LocalServer> {
  const server = createServer(listener);
  await opened(server, port);
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return { url: `http://127.0.0.1:${address.port}`, close: () => closed(server) };
}

/** Sends a JSON body and ends the response. */
export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
) {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

async function answer(incoming: IncomingMessage, response: ServerResponse, handle: Handle): Promise<void> {
  try {
    await handle(await receive(incoming), response);
  } catch (error) {
    // A bug in a rule or in a server here: said to the caller, who sees it in a test's output.
    if (response.headersSent) response.destroy();
    else sendJson(response, 500, { error: { type: 'server_error', message: String(error) } });
  }
}

async function receive(incoming: IncomingMessage): Promise<LocalRequest> {
  const body = await text(incoming);
  const url = new URL(incoming.url ?? '/', 'http://127.0.0.1');
  const { method = 'GET', headers } = incoming;
  return { method, path: url.pathname, query: url.searchParams, headers, body };
}

const opened = (server: Server, port: number) =>
  new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => {
      reject(
        new Error(`Cannot listen on 127.0.0.1:${port}: ${cause.message}. Give another port, or 0 for a free one.`, {
          cause,
        }),
      );
    });
    server.listen(port, '127.0.0.1', resolve);
  });

const closed = (server: Server) =>
  new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
