import { once } from 'node:events';
import { connect, constants, createSecureServer, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { generate } from 'selfsigned';

export interface TlsFront {
  /** `localhost:PORT`: what the certificate is for. */
  readonly address: string;
  /** PEM of the authority that vouches for it. */
  readonly authority: string;
  /** Every `authorization` header that came in. */
  readonly keys: ReadonlySet<string>;
  close(): Promise<void>;
}

/** Puts TLS in front of a Temporal server, as a cloud does: requests pass through as they are, their keys are noted. */
export async function startTlsFront(backend: string): Promise<TlsFront> {
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }], {
    algorithm: 'sha256',
    keySize: 2048,
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] }],
  });
  const keys = new Set<string>();
  const inner = connect(`http://${backend}`);
  inner.on('error', () => undefined);
  const server = createSecureServer({ key, cert });
  server.on('sessionError', () => undefined);
  server.on('stream', (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => {
    if (headers.authorization) keys.add(headers.authorization);
    stream.on('error', () => undefined);
    const own = Object.fromEntries(
      Object.entries(headers).filter(([name]) => !name.startsWith(':') || name === ':method' || name === ':path'),
    );
    const request = inner.request(own);
    request.on('error', () => {
      stream.close();
    });
    request.on('response', (answer, flags) => {
      if (stream.destroyed) return;
      // An error without a body comes as headers alone.
      const isAll = (flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0;
      stream.respond(answer, isAll ? { endStream: true } : { waitForTrailers: true });
    });
    let trailers: IncomingHttpHeaders = {};
    request.on('trailers', (last: IncomingHttpHeaders) => {
      trailers = last;
    });
    stream.on('wantTrailers', () => {
      stream.sendTrailers(trailers);
    });
    stream.on('close', () => {
      request.close();
    });
    stream.pipe(request);
    request.pipe(stream);
  });
  server.listen(0, 'localhost');
  await once(server, 'listening');
  return {
    address: `localhost:${(server.address() as AddressInfo).port}`,
    authority: cert,
    keys,
    async close() {
      inner.destroy();
      server.close();
    },
  };
}
