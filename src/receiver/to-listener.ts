import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** Told of what a request's work threw: the caller reads only that something broke. */
export type OnError = (error: unknown, request: IncomingMessage) => void;

/**
 * Makes a listener for `node:http`, and for what is built on it (Express, Connect), of a function from Request to Response.
 * It comes before anything that reads bodies. An error is answered with 500 and given to `onError` (default: printed).
 */
export function toListener(
  handle: (request: Request) => Promise<Response>,
  onError: OnError = (error) => console.error(error),
): RequestListener {
  return (incoming, outgoing) => {
    void answer(incoming, outgoing, handle).catch((error: unknown) => {
      if (outgoing.headersSent) outgoing.destroy();
      else outgoing.writeHead(500, { 'content-type': 'application/problem+json' }).end(BROKEN);
      onError(error, incoming);
    });
  };
}

const BROKEN = JSON.stringify({ type: 'about:blank', title: 'Internal Server Error', status: 500 });

async function answer(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  handle: (request: Request) => Promise<Response>,
): Promise<void> {
  const response = await handle(toRequest(incoming));
  outgoing.writeHead(response.status, flatHeaders(response.headers));
  // A caller that has gone does not make the answer an error.
  if (response.body)
    await pipeline(Readable.fromWeb(response.body as ReadableStream), outgoing).catch(() => outgoing.destroy());
  else outgoing.end();
}

function toRequest(incoming: IncomingMessage): Request {
  if (incoming.readableDidRead) {
    throw new Error(
      'The body has been read before its idempotency key was looked at. Put this listener before body parsers such as express.json().',
    );
  }
  const { method = 'GET', url = '/', rawHeaders } = incoming;
  const headers = new Headers();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) headers.append(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '');
  // Node's streams and the platform's are typed apart, and are the same.
  const body = method === 'GET' || method === 'HEAD' ? null : (Readable.toWeb(incoming) as ReadableStream);
  return new Request(toUrl(url, headers.get('host') ?? ''), { method, headers, body, duplex: 'half' });
}

/** The target as it was sent: `//x` is a path here, and no host. */
function toUrl(target: string, host: string): URL {
  const origin = URL.parse(`http://${host}`)?.origin ?? 'http://localhost';
  return target.startsWith('/') ? new URL(origin + target) : new URL(target, origin);
}

/** One entry a header, and one a cookie. */
function flatHeaders(headers: Headers): string[] {
  return [...headers].flat();
}
